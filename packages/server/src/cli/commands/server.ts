import type { Command } from 'commander'
import type { Runtime } from '../runtime.ts'
import { session, wholeNumber } from './shared.ts'

/** dev, start, migrate, doctor, token. */
export function addServerCommands(program: Command, runtime: Runtime): void {
  program
    .command('dev')
    .description('start with everything bundled; an empty database gets a demo community')
    .option('--no-demo', 'leave an empty database empty')
    .action(async (options: { demo: boolean }, command: Command) => {
      await runtime.serve(session(command).flags, options.demo ? 'demo' : 'dev')
    })
  program
    .command('start')
    .description('start the server with the given settings')
    .action(async (_options: unknown, command: Command) => {
      await runtime.serve(session(command).flags, 'start')
    })
  program
    .command('migrate')
    .description('bring the database schema up to date')
    .option('--dry-run', 'only say what would be applied', false)
    .action(async (options: { dryRun: boolean }, command: Command) => {
      const { flags, output } = session(command)
      const report = await runtime.migrate(flags, options.dryRun)
      const lines = [
        ...report.applied.map(name => `applied ${name}`),
        ...report.pending.map(name => `pending ${name}`)
      ]
      output.result(report, lines.length > 0 ? lines : ['the schema is up to date'])
    })
  program
    .command('doctor')
    .description('look at settings, database and server, and say what is wrong')
    .action(async (_options: unknown, command: Command) => {
      const { flags, output } = session(command)
      const findings = await runtime.doctor(flags)
      const ok = findings.every(finding => finding.ok)
      const lines = findings.map(
        ({ name, ok, detail }) => `${ok ? 'ok  ' : 'FAIL'} ${name}: ${detail}`
      )
      output.result({ ok, findings }, lines)
      if (!ok) process.exitCode = 1
    })
  program
    .command('token <user>')
    .description('make a token for a user, signed with the secret of this server')
    .option('--days <n>', 'how long it is valid', '30')
    .action(async (user: string, options: { days: string }, command: Command) => {
      const { flags, output } = session(command)
      const token = await runtime.token(flags, user, wholeNumber('--days', options.days, 1))
      output.result({ token }, [token])
    })
}
