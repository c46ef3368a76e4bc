import { findErrorBy, protocolErrors, ResponseError } from '@platformatic/kafka'

/** Whether one of the errors that a broker answered has one of these names. */
export function answered(error: unknown, ...names: readonly string[]): boolean {
  if (!(error instanceof Error)) return false
  return names.some(name => findErrorBy(error, 'apiId', name) !== null)
}

/** Whether a broker answered at all, be it with errors: the connection works. */
export function isAnswer(error: unknown): error is ResponseError & { readonly response?: object } {
  return error instanceof ResponseError
}

/** What a broker answered beside its errors; of many partitions only some may have failed. @throws what is no answer. */
export async function withErrors<T extends object>(answer: Promise<T>): Promise<T> {
  try {
    return await answer
  } catch (error) {
    if (!isAnswer(error) || error.response === undefined) throw error
    return error.response as T
  }
}

/** The number that brokers send for an error. */
export function codeOf(name: string): number {
  const known = protocolErrors[name]
  if (known === undefined) throw new TypeError(`Kafka has no error ${name}`)
  return known.code
}
