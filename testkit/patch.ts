/** The same thing with some methods replaced: faults at a port, and what happens between two steps. */
export function patch<T extends object>(whole: T, changes: Partial<T>): T {
  return new Proxy(whole, {
    get(_, name) {
      if (Object.hasOwn(changes, name)) return changes[name as keyof T]
      const value = whole[name as keyof T]
      return typeof value === 'function' ? value.bind(whole) : value
    }
  })
}
