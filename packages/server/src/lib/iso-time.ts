/** Unix ms as ISO 8601 with ms, UTC. */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString()
}
