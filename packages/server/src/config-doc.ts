import { SETTINGS } from './config.ts'
import { DAY_MS, type Limits, PRESETS } from './domain/limits.ts'
import type { Setting } from './settings.ts'

/** docs/config.md, made from the table of settings; a test compares it with the committed file. */
export function configDoc(): string {
  const rows = Object.values<Setting>(SETTINGS).map(
    ({ name, default: value, allowed, about }) =>
      `| \`${name}\` | ${shown(value)} | ${allowed.replaceAll('|', '\\|')} | ${about} |`
  )
  return `${INTRODUCTION}\n${rows.join('\n')}\n\n${PRESET_HEAD}\n${presetRows().join('\n')}\n${PRESET_TAIL}`
}

function shown(value: unknown): string {
  if (value === null || value === '' || (Array.isArray(value) && value.length === 0)) return ''
  return `\`${Array.isArray(value) ? value.join(',') : String(value)}\``
}

/** What each preset gives to the settings that have their default from it. */
function presetRows(): string[] {
  return Object.entries<Limits>(PRESETS).map(([name, limits]) => {
    const { cap, threshold, delivery, idleMs, followsMax } = limits
    const cells = [cap, threshold, delivery, idleMs / DAY_MS, followsMax]
    return `| \`${name}\` | ${cells.map(cell => cell.toLocaleString('en')).join(' | ')} |`
  })
}

const PRESET_HEAD = `## Presets

\`FANWISE_PRESET\` is a row of this table; a setting in a head of it overrides its cell.

| preset | \`FANWISE_CAP\` | \`FANWISE_THRESHOLD\` | \`FANWISE_DELIVERY\` | \`FANWISE_IDLE_DAYS\` | \`FANWISE_FOLLOWS_MAX\` |
| --- | --- | --- | --- | --- | --- |`

const PRESET_TAIL = `
What has no setting of its own: \`enterprise\` counts the life of a feed from its build and not from the last read, keeps an
empty feed for 5 minutes only, and numbers pages (\`page\` and \`size\`, see [concepts](concepts.md)). Follows in one
request above 50 drop the reader's feed once, in every preset. Ranked pages, which do not exist yet, are to score three
times the page (\`news-feed\` 500, \`news-feed-ml\` 200 posts) and use a score for 5 minutes.
`

const INTRODUCTION = `# Settings

Settings are environment variables; each is a flag as well (\`FANWISE_CAP=50\` is \`--cap 50\`, \`DATABASE_URL\` is
\`--database-url\`). A flag goes before the environment. An empty value counts as absent. A wrong value stops the start
with a message that names it and says what is allowed.

\`NODE_ENV=production\` counts as \`FANWISE_ENV=production\` when the latter is absent.

| variable | default | allowed | what it does |
| --- | --- | --- | --- |`
