import { spawn } from 'node:child_process'
import type { Socket } from 'node:net'

/**
 * Asked to shut down first, as a killed one leaves shared memory behind. Only processes that name the folder in their
 * command line are ended: pids come again.
 */
const ending = `read -r _
owned() { { tr '\\0' ' ' < "/proc/$1/cmdline" || ps -o command= -p "$1"; } 2>/dev/null | grep -qF "$2"; }
end() { find "$2" -name postmaster.pid 2>/dev/null | while read -r file; do
  pid=$(head -n 1 "$file" 2>/dev/null)
  [ -n "$pid" ] && owned "$pid" "$2" && kill "-$1" "$pid" 2>/dev/null
done; }
i=0; while [ -d "$1" ] && [ $i -lt 200 ]; do
  if [ $i -lt 100 ]; then end INT "$1"; else end KILL "$1"; fi
  if [ $i -ge 100 ] || [ -z "$(find "$1" -name postmaster.pid 2>/dev/null)" ]; then
    chmod -R u+rwX "$1" 2>/dev/null; rm -rf "$1" 2>/dev/null
  fi
  sleep 0.05; i=$((i+1))
done`

/**
 * Ends every PostgreSQL below a folder and removes the folder once this process is gone, however it went: its end of
 * the pipe closes even by kill -9, and in its own session no signal to the group reaches the shell.
 */
export function endWithProcess(folder: string): void {
  if (process.platform === 'win32') return
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
