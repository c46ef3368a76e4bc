/** The same thing; the names of the methods that are called are added to `asked`, in order. */
export function watched<T extends object>(whole: T, asked: string[]): T {
  return new Proxy(whole, {
    get(_, name) {
      const value = whole[name as keyof T]
      if (typeof value !== 'function') return value
      return (...args: unknown[]) => {
        asked.push(String(name))
        return value.apply(whole, args)
      }
    }
  })
}
