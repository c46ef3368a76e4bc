import type { AdminApi, UserId } from '@fanwise/sdk'
import type { Command } from 'commander'
import { allUsers } from '../import/spread.ts'
import { ofReader } from '../of-reader.ts'
import { bar } from '../output.ts'
import type { Runtime } from '../runtime.ts'
import { describe, isClean, verifyReaders } from '../verify.ts'
import { session, wholeNumber, withServer } from './shared.ts'

interface Which {
  all: boolean
  reader?: string[]
}

interface WhichVerified extends Which {
  sample?: string
  onlyWarm: boolean
  repair: boolean
  rate: string
}

/** verify, rebuild. */
export function addFeedCommands(program: Command, runtime: Runtime): void {
  program
    .command('verify')
    .description(
      'compare feeds (as they stand, evicted, rebuilt) and counts with plain SQL; exit code 1 if one is wrong and not repaired, or if events do not drain'
    )
    .option('--all', 'every reader', false)
    .option('--sample <n>', 'this many readers at random who were here in the last 30 days')
    .option('--reader <user...>', 'these readers')
    .option(
      '--only-warm',
      'only warm feeds as they stand, which drops nothing that is right',
      false
    )
    .option('--repair', 'make anew what is wrong, and compare it again', false)
    .option('--rate <n>', 'readers per second at most', '20')
    .action(async (which: WhichVerified, command: Command) => {
      const { flags, output } = session(command)
      const rate = wholeNumber('--rate', which.rate, 1)
      const report = await withServer(runtime, flags, async ({ admin }) => {
        const readers = await readersOf(admin, which)
        return verifyReaders(admin, readers, {
          ...{ rate, repair: which.repair, ...(which.onlyWarm && { only: 'warm' }) },
          onProgress: now =>
            output.progress(`${bar(now.readers / readers.length)} ${now.differences} differences`)
        })
      })
      output.done()
      output.result(report, describe(report))
      if (!isClean(report)) process.exitCode = 1
    })
  program
    .command('rebuild')
    .description('make feeds anew from the database')
    .option('--all', 'every reader', false)
    .option('--reader <user...>', 'these readers')
    .action(async (which: Which, command: Command) => {
      const { flags, output } = session(command)
      const count = await withServer(runtime, flags, async ({ admin }) => {
        const readers = await readersOf(admin, which)
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

async function readersOf(
  admin: Pick<AdminApi, 'users' | 'sampleReaders'>,
  { all, reader, sample }: Which & Pick<WhichVerified, 'sample'>
): Promise<readonly UserId[]> {
  if (reader !== undefined) return reader
  if (all) return allUsers(admin)
  if (sample !== undefined) return admin.sampleReaders(wholeNumber('--sample', sample, 1))
  throw new Error(
    'Say whose feeds: --all, --sample with a number (verify), or --reader with user ids.'
  )
}
