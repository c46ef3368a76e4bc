/** One setting: where it comes from, what it may be, and a sentence for docs/config.md. */
export interface Setting<T = unknown> {
  readonly name: string
  readonly default: T
  readonly about: string
  readonly secret: boolean
  readonly allowed: string
  /** The value, or undefined when the text is not allowed. */
  readonly parse: (text: string) => T | undefined
}

export type Values<S extends Record<string, Setting>> = { readonly [K in keyof S]: S[K]['default'] }

/** Lists every wrong setting by name, value and what is allowed. Secrets are not repeated. */
export class SettingsError extends Error {
  constructor(problems: readonly string[]) {
    super(`Wrong settings:\n${problems.map(problem => `  ${problem}`).join('\n')}`)
    this.name = 'SettingsError'
  }
}

export function text(
  name: string,
  fallback: string,
  about: string,
  secret = false
): Setting<string> {
  return { name, default: fallback, about, secret, allowed: 'text', parse: value => value }
}

/** An address of one of these schemes; empty when it is not set. One that may hold a password is not repeated. */
export function address(
  name: string,
  schemes: readonly string[],
  allowed: string,
  about: string,
  secret = false
): Setting<string> {
  const parse = (value: string) =>
    schemes.includes(URL.parse(value)?.protocol.slice(0, -1) ?? '') ? value : undefined
  return { name, default: '', about, secret, allowed, parse }
}

export function integer(
  name: string,
  fallback: number,
  min: number,
  max: number,
  about: string
): Setting<number> {
  return { name, default: fallback, about, secret: false, ...wholeNumber(min, max) }
}

/** null when it is not set. */
export function optionalInteger(
  name: string,
  min: number,
  max: number,
  about: string
): Setting<number | null> {
  return { name, default: null, about, secret: false, ...wholeNumber(min, max) }
}

export function choice<const T extends string>(
  name: string,
  among: readonly T[],
  fallback: NoInfer<T>,
  about: string
): Setting<T> {
  const allowed = among.filter(value => value !== '').join(', ')
  const parse = (value: string) => among.find(one => one === value)
  return { name, default: fallback, about, secret: false, allowed, parse }
}

/** Separated by commas. Without `among`, anything goes. */
export function list(
  name: string,
  fallback: readonly string[],
  about: string,
  among?: readonly string[]
): Setting<readonly string[]> {
  const parse = (value: string) => {
    const parts = value
      .split(',')
      .map(part => part.trim())
      .filter(part => part !== '')
    return !among || (parts.length > 0 && parts.every(part => among.includes(part)))
      ? parts
      : undefined
  }
  return {
    name,
    default: fallback,
    about,
    secret: false,
    allowed: among?.join(', ') ?? 'a list',
    parse
  }
}

/** Overrides (flags) go before the environment, that before the default; an empty value counts as absent. */
export function read<S extends Record<string, Setting>>(
  settings: S,
  overrides: Readonly<Partial<Record<string, string>>>,
  environment: Readonly<Partial<Record<string, string>>>
): Values<S> {
  const problems: string[] = []
  const values = Object.entries(settings).map(([key, setting]) => {
    const given = overrides[key] ?? environment[setting.name] ?? ''
    const value = given === '' ? setting.default : setting.parse(given)
    if (value === undefined) problems.push(refusal(setting, given))
    return [key, value]
  })
  if (problems.length > 0) throw new SettingsError(problems)
  return Object.fromEntries(values) as Values<S>
}

function wholeNumber(min: number, max: number) {
  return {
    allowed: `${min} to ${max}`,
    parse: (value: string) => {
      const number = /^[0-9]{1,16}$/.test(value) ? Number(value) : Number.NaN
      return number >= min && number <= max ? number : undefined
    }
  }
}

function refusal(setting: Setting, given: string): string {
  const shown = setting.secret ? 'the given value' : `"${given}"`
  return `${setting.name}: ${shown} is not allowed; allowed: ${setting.allowed}`
}
