import type { Command } from 'commander'
import { loadCommunity } from '../generate/load-community.ts'
import { bar } from '../output.ts'
import type { Runtime } from '../runtime.ts'
import { session, wholeNumber, withServer } from './shared.ts'

export function addGenerateCommand(program: Command, runtime: Runtime): void {
  program
    .command('generate')
    .description('load a seeded community with a power law, celebrities, and posts over time')
    .option('--users <n>', 'people', '1000')
    .option('--posts <n>', 'posts', '20000')
    .option('--follows <n>', 'mean follows per user', '40')
    .option('--likes <n>', 'likes', '10000')
    .option('--days <n>', 'days the posts are spread over', '30')
    .option('--seed <n>', 'the same seed gives the same community', '1')
    .option('--until <time>', 'when the story ends (ISO 8601); now when absent')
    .action(async (options: Record<string, string>, command: Command) => {
      const { flags, output } = session(command)
      const community = toCommunity(options)
      const { before, created } = await withServer(runtime, flags, async ({ admin }) => ({
        before: (await admin.stats()).users,
        created: await loadCommunity(admin, community, part => output.progress(bar(part)))
      }))
      output.done()
      output.result({ created, usersBefore: before }, [
        `created ${JSON.stringify(created)}`,
        ...(before > 0 ? [mixed(before, created.users, community.users)] : [])
      ])
    })
}

/** A community is added to what is there; people with the same id are the same ones. */
function mixed(before: number, created: number, users: number): string {
  return `The database had ${before} users: the community is mixed with them, and ${users - created} of its people are some of them.`
}

function toCommunity(options: Record<string, string>) {
  const number = (name: string, min: number) => wholeNumber(`--${name}`, options[name] ?? '', min)
  const now = options.until === undefined ? Date.now() : Date.parse(options.until)
  if (Number.isNaN(now)) throw new Error(`--until: "${options.until}" is not a time`)
  return {
    users: number('users', 1),
    posts: number('posts', 0),
    follows: number('follows', 0),
    likes: number('likes', 0),
    days: number('days', 1),
    seed: number('seed', 0),
    now
  }
}
