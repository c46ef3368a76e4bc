// @ts-check
/** @import { Post } from '@fanwise/sdk' */
/** @import { PostContext } from './post.js' */
import { fromTemplate, part } from './dom.js'
import { trouble } from './notices.js'
import { postElement, updatePost } from './post.js'

const PAGE = 20
const POLL_MS = 4000

/** A list of posts without end: a reader's feed or an author's timeline. */
export class Stream {
  /** @type {Map<string, HTMLElement>} */
  #shown = new Map()
  /** @type {Post[]} */
  #fresh = []
  /** @type {string | null} */
  #cursor = null
  #atEnd = false
  #busy = false
  #closed = false
  /** Grows with each start from the top: answers to what was asked before are dropped. */
  #turn = 0
  #posts = part(document, 'posts')
  #tail = part(document, 'tail')
  #freshButton = part(document, 'fresh')
  #path
  #context
  #emptyText
  #sight = new IntersectionObserver(seen => seen.some(one => one.isIntersecting) && this.#more(), {
    rootMargin: '1200px'
  })

  /** @param {string} path @param {PostContext} context @param {string} emptyText */
  constructor(path, context, emptyText) {
    this.#path = path
    this.#context = context
    this.#emptyText = emptyText
    this.#freshButton.onclick = () => this.#showFresh()
    this.reload()
    void this.#poll()
  }

  /** From the newest post on. */
  reload() {
    this.#posts.replaceChildren()
    this.#shown.clear()
    this.#setFresh([])
    this.#cursor = null
    this.#atEnd = false
    this.#busy = false
    this.#turn++
    void this.#more()
  }

  /** Shows an own post at once. @param {Post} post */
  prepend(post) {
    this.#add(post, 'top')
    if (this.#atEnd) this.#paintEnd()
  }

  /** @param {string} author */
  dropAuthor(author) {
    for (const [id, element] of this.#shown) {
      if (element.dataset.by !== author) continue
      element.remove()
      this.#shown.delete(id)
    }
    this.#setFresh(this.#fresh.filter(post => post.author.id !== author))
    if (this.#atEnd) this.#paintEnd()
    else this.#watch()
  }

  close() {
    this.#closed = true
    this.#turn++
    this.#sight.disconnect()
  }

  async #more() {
    if (this.#busy || this.#atEnd || this.#closed) return
    this.#busy = true
    const turn = this.#turn
    this.#sight.disconnect()
    this.#tail.replaceChildren(...Array.from({ length: 3 }, () => fromTemplate('skeleton')))
    this.#posts.setAttribute('aria-busy', 'true')
    try {
      const page = await this.#context.api.posts(this.#path, this.#cursor, PAGE)
      if (turn !== this.#turn) return
      for (const post of page.items) this.#add(post, 'end')
      this.#cursor = page.nextCursor
      this.#atEnd = page.nextCursor === null
      this.#tail.replaceChildren()
      if (this.#atEnd) this.#paintEnd()
    } catch (error) {
      if (turn === this.#turn) this.#tail.replaceChildren(trouble(error, () => this.#more()))
      return
    } finally {
      if (turn === this.#turn) this.#busy = false
      this.#posts.setAttribute('aria-busy', 'false')
    }
    this.#watch()
  }

  /** Observing anew reports at once if the end is still in sight. */
  #watch() {
    this.#sight.disconnect()
    if (!this.#atEnd && !this.#closed) this.#sight.observe(this.#tail)
  }

  /** @param {Post} post @param {'top' | 'end'} where */
  #add(post, where) {
    if (this.#shown.has(post.id)) return
    const element = postElement(post, this.#context)
    this.#shown.set(post.id, element)
    if (where === 'top') this.#posts.prepend(element)
    else this.#posts.append(element)
  }

  #paintEnd() {
    const line = document.createElement('p')
    line.className = 'end quiet'
    line.textContent = this.#shown.size === 0 ? this.#emptyText : 'You have reached the beginning.'
    this.#tail.replaceChildren(line)
  }

  async #poll() {
    await new Promise(resolve => setTimeout(resolve, POLL_MS))
    if (this.#closed) return
    if (!document.hidden && !this.#busy && this.#hasPage()) await this.#look().catch(() => {})
    void this.#poll()
  }

  #hasPage() {
    return this.#cursor !== null || this.#atEnd
  }

  /** Compares the first page with what is shown. */
  async #look() {
    const turn = this.#turn
    const { items } = await this.#context.api.posts(this.#path, null, PAGE)
    if (turn !== this.#turn || this.#busy) return
    for (const post of items) {
      const element = this.#shown.get(post.id)
      if (element) updatePost(element, post)
    }
    const newest = this.#newest()
    this.#setFresh(items.filter(post => post.id > newest && !this.#shown.has(post.id)))
  }

  #newest() {
    let newest = ''
    for (const id of this.#shown.keys()) if (id > newest) newest = id
    return newest
  }

  #showFresh() {
    scrollTo({ top: 0, behavior: 'instant' })
    if (this.#fresh.length >= PAGE) return this.reload()
    for (const post of this.#fresh.toReversed()) this.#add(post, 'top')
    this.#setFresh([])
    if (this.#atEnd) this.#paintEnd()
  }

  /** @param {Post[]} posts */
  #setFresh(posts) {
    this.#fresh = posts
    const count = posts.length
    this.#freshButton.hidden = count === 0
    const text =
      count >= PAGE ? `${PAGE}+ new posts` : `${count} new ${count === 1 ? 'post' : 'posts'}`
    if (this.#freshButton.textContent !== text) this.#freshButton.textContent = text
  }
}
