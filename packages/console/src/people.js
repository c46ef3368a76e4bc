// @ts-check
/** @import { Author } from '@fanwise/sdk' */
import { Api, people } from './api.js'
import { counted, fromTemplate, nameOf, paintAvatar, part } from './dom.js'
import { trouble } from './notices.js'

/** From here on the demo's server merges an author's posts on read instead of pushing them. */
const CELEBRITY = 200

/** The list of everybody, to pick one from. */
export class People {
  /** @type {Map<string, { person: Author, row: HTMLElement, text: string }>} */
  #rows = new Map()
  /** @type {string | null} */
  #cursor = null
  #atEnd = false
  #busy = false
  #list = part(document, 'people-list')
  #note = part(document, 'people-note')
  #search = /** @type {HTMLInputElement} */ (part(document, 'search'))
  #onFirst
  #sight = new IntersectionObserver(seen => seen.some(one => one.isIntersecting) && this.#more())
  /** Numbers of followers are asked for as rows come into sight. */
  #counts = new IntersectionObserver(seen => {
    for (const { isIntersecting, target } of seen) if (isIntersecting) this.#count(target)
  })

  /** @param {(first: Author[]) => void} onFirst gets the first page */
  constructor(onFirst) {
    this.#onFirst = onFirst
    this.#search.addEventListener('input', () => this.#filter())
    this.#more()
  }

  /** @param {string} id @returns {Author | undefined} */
  find(id) {
    return this.#rows.get(id)?.person
  }

  /** @param {string} id marks who is looked at */
  select(id) {
    for (const [other, { row }] of this.#rows) {
      const link = row.querySelector('a')
      if (other === id) link?.setAttribute('aria-current', 'true')
      else link?.removeAttribute('aria-current')
    }
  }

  async #more() {
    if (this.#busy || this.#atEnd) return
    this.#busy = true
    this.#sight.disconnect()
    try {
      const first = this.#cursor === null
      const page = await people(this.#cursor)
      for (const person of page.items) this.#add(person)
      this.#cursor = page.nextCursor
      this.#atEnd = page.nextCursor === null
      if (first) this.#onFirst([...page.items])
      this.#filter()
    } catch (error) {
      this.#note.replaceChildren(trouble(error, () => this.#more()))
      return
    } finally {
      this.#busy = false
    }
    if (this.#query() === '') this.#sight.observe(this.#note)
    else this.#more()
  }

  /** @param {Author} person */
  #add(person) {
    const row = personRow(person)
    this.#rows.set(person.id, { person, row, text: `${person.name ?? ''} ${person.id}`.toLowerCase() })
    this.#list.append(row)
    this.#counts.observe(row)
  }

  /** A search looks through everybody, so it loads the rest. */
  #filter() {
    const query = this.#query()
    let hits = 0
    for (const { row, text } of this.#rows.values()) {
      row.hidden = !query.split(/\s+/).every(word => text.includes(word))
      if (!row.hidden) hits++
    }
    this.#note.textContent = this.#atEnd && hits === 0 ? 'Nobody of that name.' : ''
    if (query !== '') this.#more()
    else if (!this.#busy && !this.#atEnd) this.#sight.observe(this.#note)
  }

  #query() {
    return this.#search.value.trim().toLowerCase()
  }

  /** @param {Element} row */
  async #count(row) {
    this.#counts.unobserve(row)
    const id = row instanceof HTMLElement ? (row.dataset.id ?? '') : ''
    try {
      paintCount(row, (await new Api(id).profile(id)).counts.followers)
    } catch {
      this.#counts.observe(row)
    }
  }
}

/** @param {Author} person */
export function personRow(person) {
  const row = fromTemplate('person')
  row.dataset.id = person.id
  row.querySelector('a')?.setAttribute('href', `#${person.id}`)
  paintAvatar(part(row, 'avatar'), person)
  part(row, 'name').textContent = nameOf(person)
  part(row, 'star').classList.add('off')
  return row
}

/** @param {Element} row @param {number} followers */
function paintCount(row, followers) {
  part(row, 'followers').textContent = counted(followers, 'follower')
  part(row, 'star').classList.toggle('off', followers < CELEBRITY)
}
