import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

function startTimeOnLinux(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name, in parentheses, may hold spaces; state is the first field after it, start the 20th.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields[19]
  } catch {
    return undefined
  }
}

function ps(pid: number, column: string): string | undefined {
  try {
    const args = ['-o', `${column}=`, '-p', `${pid}`]
    const env = { PATH: '/usr/bin:/bin', LC_ALL: 'C' }
    return execFileSync('ps', args, { encoding: 'utf8', env }).trim() || undefined
  } catch {
    return undefined
  }
}

/** What tells a process from a later one with the same pid: its start time. Undefined when it is gone. */
export function startTime(pid: number): string | undefined {
  if (process.platform === 'linux') return startTimeOnLinux(pid)
  if (!isRunning(pid)) return undefined
  return process.platform === 'win32' ? 'running' : ps(pid, 'lstart')?.replaceAll(' ', '_')
}

/** The command line of a process, its arguments separated by NUL where the system tells them apart. */
export function commandLine(pid: number): string | undefined {
  if (process.platform === 'win32') return undefined
  if (process.platform !== 'linux') return ps(pid, 'command')
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return undefined
  }
}
