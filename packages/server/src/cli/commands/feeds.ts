import type { VerifyReport } from '@fanwise/sdk'
import type { Command } from 'commander'
import { allUsers } from '../import/spread.ts'
import { ofReader } from '../of-reader.ts'
import { bar } from '../output.ts'
import type { Runtime } from '../runtime.ts'
import { verifyReaders } from '../verify.ts'
import { session, withServer } from './shared.ts'

interface Which {
  all: boolean
  reader?: string[]
}

/** verify, rebuild. */
export function addFeedCommands(program: Command, runtime: Runtime): void {
  program
    .command('verify')
    .description(
      'compare feeds (as they stand, evicted, rebuilt) with plain SQL; exit code 1 on any difference, or if events do not drain'
    )
    .option('--all', 'every reader', false)
    .option('--reader <user...>', 'these readers')
    .action(async (which: Which, command: Command) => {
      const { flags, output } = session(command)
      const report = await withServer(runtime, flags, async ({ admin }) => {
        const readers = which.reader ?? (which.all ? await allUsers(admin) : nobody())
        return verifyReaders(admin, readers, now =>
          output.progress(`${bar(now.readers / readers.length)} ${now.differences} differences`)
        )
      })
      output.done()
      output.result(report, describe(report))
      if (report.differences > 0 || report.pending > 0) process.exitCode = 1
    })
  program
    .command('rebuild')
    .description('make feeds anew from the database')
    .option('--all', 'every reader', false)
    .option('--reader <user...>', 'these readers')
    .action(async (which: Which, command: Command) => {
      const { flags, output } = session(command)
      const count = await withServer(runtime, flags, async ({ admin }) => {
        const readers = which.reader ?? (which.all ? await allUsers(admin) : nobody())
        for (const [index, reader] of readers.entries()) {
          await ofReader(reader, admin.rebuild(reader))
          output.progress(bar((index + 1) / readers.length))
        }
        return readers.length
      })
      output.done()
      output.result({ rebuilt: count }, [`${count} feeds rebuilt`])
    })
}

function nobody(): never {
  throw new Error('Say whose feeds: --all, or --reader with user ids.')
}

function describe(report: VerifyReport): string[] {
  const { warm, store, seam } = report.pages
  return [
    `${report.readers} readers, ${report.cold} with a cold feed`,
    `${warm} pages warm, ${store} from the store, ${seam} across the seam`,
    ...(report.pending > 0
      ? [`${report.pending} events were not worked off in time: feeds may lack what they bring`]
      : []),
    `${report.differences} differences: ${report.missing} missing, ${report.extra} extra, ${report.misordered} misordered`,
    ...report.examples.map(
      ({ reader, walk, kind, post }) => `  ${reader} (${walk}): ${kind} ${post}`
    )
  ]
}
