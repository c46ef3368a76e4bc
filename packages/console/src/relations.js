// @ts-check
/** @import { Author } from '@fanwise/sdk' */
/** @import { Api } from './api.js' */

/** @typedef {'follow' | 'mute' | 'block'} Relation */

/** Whom the reader follows, mutes and blocks. */
export class Relations {
  #api
  /** @type {Promise<Record<Relation, Map<string, Author>>> | undefined} */
  #loaded

  /** @param {Api} api */
  constructor(api) {
    this.#api = api
  }

  /** @param {Relation} relation @returns {Promise<Map<string, Author>>} */
  async of(relation) {
    this.#loaded ??= this.#load()
    try {
      return (await this.#loaded)[relation]
    } catch (error) {
      this.#loaded = undefined
      throw error
    }
  }

  /** @param {Author} author @param {Relation} relation @param {boolean} on */
  async set(author, relation, on) {
    await this.#api.relate(author.id, relation, on)
    const kept = await this.of(relation)
    if (on) kept.set(author.id, author)
    else kept.delete(author.id)
    // A block ends the follows both ways.
    if (on && relation === 'block') (await this.of('follow')).delete(author.id)
  }

  async #load() {
    const me = encodeURIComponent(this.#api.user)
    const paths = [`/v1/users/${me}/following`, '/v1/mutes', '/v1/blocks']
    const [follow, mute, block] = await Promise.all(
      paths.map(async path => new Map((await this.#api.authors(path)).map(one => [one.id, one])))
    )
    return { follow: follow ?? new Map(), mute: mute ?? new Map(), block: block ?? new Map() }
  }
}
