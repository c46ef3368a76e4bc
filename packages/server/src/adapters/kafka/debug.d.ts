// The declarations of @platformatic/kafka name this package, which has none of its own.
declare module 'debug' {
  function debug(name: string): debug.Debugger
  namespace debug {
    type Debugger = (...values: unknown[]) => void
  }

  // biome-ignore lint/style/noDefaultExport: that is how the package exports it
  export { debug as default }
}
