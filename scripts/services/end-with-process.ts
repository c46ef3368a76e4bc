import { spawn } from 'node:child_process'
import type { Socket } from 'node:net'

/** Only processes that name the folder in their command line are ended: pids come again. */
const ending = `read -r _
for file in "$1"/*/server.pid; do
  [ -e "$file" ] || continue
  pid=$(cat "$file")
  tr '\\0' ' ' < "/proc/$pid/cmdline" 2>/dev/null | grep -qF "$1" && kill -9 "$pid"
done
i=0; while [ -d "$1" ] && [ $i -lt 100 ]; do rm -rf "$1" 2>/dev/null; sleep 0.05; i=$((i+1)); done`

/**
 * Ends the servers of a folder and removes it once this process is gone, however it went: the pipe
 * closes even by kill -9, and in its own session no signal to the group reaches the shell.
 */
export function endWithProcess(folder: string): void {
  if (process.platform !== 'linux') return
  const child = spawn('/bin/sh', ['-c', ending, 'sh', folder], {
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore']
  })
  child.unref()
  const pipe = child.stdin as Socket
  pipe.on('error', () => undefined)
  pipe.unref()
}
