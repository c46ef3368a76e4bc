/** Ascending numbers as bytes: the difference to the one before, 7 bits a byte, the lowest first. */
export function packNumbers(numbers: readonly number[]): Buffer {
  const bytes: number[] = []
  let before = 0
  for (const number of numbers) {
    let rest = number - before
    for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128)
    bytes.push(rest)
    before = number
  }
  return Buffer.from(bytes)
}

/** Whether `packNumbers` was given the number. */
export function packHas(bytes: Uint8Array, number: number): boolean {
  let found = 0
  let difference = 0
  let scale = 1
  for (const byte of bytes) {
    difference += (byte % 128) * scale
    scale *= 128
    if (byte >= 128) continue
    found += difference
    if (found >= number) return found === number
    difference = 0
    scale = 1
  }
  return false
}
