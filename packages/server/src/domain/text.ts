/** PostgreSQL refuses NUL, and half a surrogate pair has no UTF-8: such text would not come back as it was sent. */
export function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed()
}

/** The same for every key and string inside a JSON value, however deeply it is nested. */
export function isStorableJson(value: unknown): boolean {
  const left: unknown[] = [value]
  while (left.length > 0) {
    const next = left.pop()
    if (typeof next === 'string') {
      if (!isStorable(next)) return false
    } else if (Array.isArray(next)) {
      for (const inside of next) left.push(inside)
    } else if (typeof next === 'object' && next !== null) {
      for (const [key, inside] of Object.entries(next)) left.push(key, inside)
    }
  }
  return true
}
