import { type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import type { SystemUser } from './system-user.ts'

/** Options for a child that sees nothing of this process: own environment, own user. */
export function childOptions(user: SystemUser, libDir?: string): SpawnOptions {
  return {
    cwd: path.parse(process.execPath).root,
    windowsHide: true,
    env: {
      PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
      LC_ALL: 'C',
      TZ: 'UTC',
      ...(process.platform === 'win32' && { SystemRoot: 'C:\\Windows' }),
      ...(libDir !== undefined && { LD_LIBRARY_PATH: libDir })
    },
    ...(user.uid !== undefined && { uid: user.uid }),
    ...(user.gid !== undefined && { gid: user.gid })
  }
}

export interface Finished {
  code: number | null
  output: string
}

/** Runs a command to its end as `user`; rejects only when it could not be spawned. */
export async function runAs(
  user: SystemUser,
  command: readonly [string, ...string[]],
  libDir?: string
): Promise<Finished> {
  const [file, ...args] = command
  const child = spawn(file, args, {
    ...childOptions(user, libDir),
    stdio: ['ignore', 'pipe', 'pipe']
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, output }
}
