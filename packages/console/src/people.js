// @ts-check
/** @import { Author, Profile } from '@fanwise/sdk' */
import { everybody } from './api.js'
import { counted, fromTemplate, nameOf, paintAvatar, part } from './dom.js'
import { trouble } from './notices.js'

/** From here on the demo's server merges an author's posts on read instead of pushing them. */
const CELEBRITY = 200
const USER_ID = /^[A-Za-z0-9_.:-]{1,64}$/

/** The list of everybody, the most followed first, to pick one from. */
export class People {
  /** @type {Map<string, { person: Author, row: HTMLElement, text: string }>} */
  #rows = new Map()
  #selected = ''
  #list = part(document, 'people-list')
  #note = part(document, 'people-note')
  #search = /** @type {HTMLInputElement} */ (part(document, 'search'))

  /** Resolves when the list is there. */
  ready

  /** @param {(people: Profile[]) => void} onLoad */
  constructor(onLoad) {
    this.#search.addEventListener('input', () => this.#filter())
    this.#search.addEventListener('keydown', event => event.key === 'Enter' && this.#openFirst())
    this.ready = this.#load(onLoad)
  }

  /** @param {string} id @returns {Author | undefined} */
  find(id) {
    return this.#rows.get(id)?.person
  }

  /** @param {string} id marks who is looked at */
  select(id) {
    const link = (/** @type {string} */ of) => this.#rows.get(of)?.row.querySelector('a')
    link(this.#selected)?.removeAttribute('aria-current')
    link(id)?.setAttribute('aria-current', 'true')
    this.#selected = id
    this.#rows.get(id)?.row.scrollIntoView({ block: 'nearest' })
  }

  /** @param {(people: Profile[]) => void} onLoad */
  async #load(onLoad) {
    this.#note.textContent = 'Loading people …'
    try {
      const people = await everybody()
      people.sort((a, b) => b.counts.followers - a.counts.followers)
      this.#list.replaceChildren(...people.map(person => this.#add(person)))
      this.select(this.#selected)
      this.#filter()
      onLoad(people)
    } catch (error) {
      this.#note.replaceChildren(trouble(error, () => this.#load(onLoad)))
    }
  }

  /** @param {Profile} person */
  #add(person) {
    const row = personRow(person)
    const text = `${person.name ?? ''} ${person.id}`.toLowerCase()
    this.#rows.set(person.id, { person, row, text })
    return row
  }

  #filter() {
    const query = this.#search.value.trim()
    const words = query.toLowerCase().split(/\s+/)
    let hits = 0
    for (const { row, text } of this.#rows.values()) {
      row.hidden = !words.every(word => text.includes(word))
      if (!row.hidden) hits++
    }
    this.#note.replaceChildren()
    if (hits > 0) return
    if (query === '')
      this.#note.textContent = 'Nobody is here yet. Search for an id to start as it.'
    else if (USER_ID.test(query)) this.#note.replaceChildren(openAs(query))
    else this.#note.textContent = 'Nobody of that name.'
  }

  #openFirst() {
    const shown = [...this.#rows.values()].find(({ row }) => !row.hidden)
    const id = shown?.person.id ?? this.#search.value.trim()
    if (USER_ID.test(id)) location.hash = id
  }
}

/** @param {Profile} person */
export function personRow(person) {
  const row = fromTemplate('person')
  const { followers } = person.counts
  row.querySelector('a')?.setAttribute('href', `#${person.id}`)
  paintAvatar(part(row, 'avatar'), person)
  part(row, 'name').textContent = nameOf(person)
  part(row, 'followers').textContent = counted(followers, 'follower')
  part(row, 'star').classList.toggle('off', followers < CELEBRITY)
  return row
}

/** Every id is a user from the first write on. @param {string} id */
function openAs(id) {
  const link = document.createElement('a')
  link.className = 'secondary'
  link.href = `#${id}`
  link.textContent = `Open the feed of ${id}`
  return link
}
