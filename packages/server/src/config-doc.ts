import { SETTINGS } from './config.ts'
import type { Setting } from './settings.ts'

/** docs/config.md, made from the table of settings; a test compares it with the committed file. */
export function configDoc(): string {
  const rows = Object.values<Setting>(SETTINGS).map(
    ({ name, default: value, allowed, about }) =>
      `| \`${name}\` | ${shown(value)} | ${allowed.replaceAll('|', '\\|')} | ${about} |`
  )
  return `${INTRODUCTION}\n${rows.join('\n')}\n`
}

function shown(value: unknown): string {
  if (value === null || value === '' || (Array.isArray(value) && value.length === 0)) return ''
  return `\`${Array.isArray(value) ? value.join(',') : String(value)}\``
}

const INTRODUCTION = `# Settings

Settings are environment variables; each is a flag as well (\`FANWISE_CAP=50\` is \`--cap 50\`, \`DATABASE_URL\` is
\`--database-url\`). A flag goes before the environment. An empty value counts as absent. A wrong value stops the start
with a message that names it and says what is allowed.

\`NODE_ENV=production\` counts as \`FANWISE_ENV=production\` when the latter is absent.

| variable | default | allowed | what it does |
| --- | --- | --- | --- |`
