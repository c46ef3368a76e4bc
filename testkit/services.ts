// The services that a run has: their URLs come from scripts/test.ts or from a person's environment.
import type { TestContext } from 'node:test'
import { type ServiceName, urlInEnvironment, variableOf } from '../scripts/services/service.ts'

const ci = process.env.CI === 'true'

/** Why tests on these services can't run, for the `skip` of a test or suite; false with CI=true. */
export function without(...names: ServiceName[]): string | false {
  const missing = names.find(name => urlInEnvironment(name) === undefined)
  if (missing === undefined || ci) return false
  return `there is no ${missing}: npm run services up ${missing}, or set ${variableOf(missing)}`
}

/**
 * The URL of a service, for tests on data of their own in it. Without it the test is skipped, and
 * has to return at once when it gets undefined.
 * @throws {Error} with CI=true, where every service has to be there
 */
export function service(t: TestContext, name: ServiceName): string | undefined {
  const url = urlInEnvironment(name)
  if (url !== undefined) return url
  if (ci) throw new Error(`With CI=true there has to be a ${name}: set ${variableOf(name)}.`)
  t.skip(without(name) || name)
  return undefined
}
