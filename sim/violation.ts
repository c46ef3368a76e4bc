/** Something that must never be: what a run found. */
export class Violation extends Error {
  constructor(rule: string, found: unknown) {
    super(`${rule}: ${JSON.stringify(found)}`)
    this.name = 'Violation'
  }
}
