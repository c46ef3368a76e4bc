// @ts-check
/** @import { Author } from '@fanwise/sdk' */
/** @import { Api } from './api.js' */
/** @import { Relation, Relations } from './relations.js' */
import { compact, fromTemplate, nameOf, paintAvatar, part } from './dom.js'
import { explain, toastError } from './notices.js'

/**
 * @typedef {object} ProfileContext
 * @property {Api} api
 * @property {Relations} relations
 * @property {(author: Author, relation: Relation, on: boolean) => void} onChange
 */

/** @type {readonly (readonly [Relation, string, string])[]} */
const RELATIONS = [
  ['follow', 'Follow', 'Following'],
  ['mute', 'Mute', 'Muted'],
  ['block', 'Block', 'Blocked']
]

const dialog = /** @type {HTMLDialogElement} */ (part(document, 'card'))
// A press beside the card closes it.
dialog.addEventListener('click', event => event.target === dialog && dialog.close())

/** Shows who somebody is, and what the reader can do about them. @param {Author} author @param {ProfileContext} context */
export function openProfile(author, context) {
  const card = fromTemplate('profile')
  const { api } = context
  paintAvatar(part(card, 'avatar'), author)
  part(card, 'name').textContent = nameOf(author)
  part(card, 'handle').textContent = `@${author.id}`
  part(card, 'close').addEventListener('click', () => dialog.close())
  part(card, 'posts-link').setAttribute('href', `#${api.user}/${author.id}`)
  part(card, 'become-link').setAttribute('href', `#${author.id}`)
  part(card, 'become-link').hidden = author.id === api.user
  part(card, 'links').addEventListener('click', () => dialog.close())
  dialog.replaceChildren(card)
  if (!dialog.open) dialog.showModal()
  void paintCounts(card, author, context)
  if (author.id === api.user) void paintLists(card, context)
  else void paintActions(card, author, context)
}

export function closeProfile() {
  dialog.close()
}

/** @param {HTMLElement} card @param {Author} author @param {ProfileContext} context */
async function paintCounts(card, author, { api }) {
  try {
    const { counts } = await api.profile(author.id)
    for (const [name, count] of Object.entries(counts))
      part(card, `count=${name}`).textContent = compact(count)
  } catch (error) {
    const { code, message } = explain(error)
    part(card, 'note').textContent = `${message} (${code})`
  }
}

/** @param {HTMLElement} card @param {Author} author @param {ProfileContext} context */
async function paintActions(card, author, context) {
  try {
    const buttons = RELATIONS.map(async ([relation, off, on]) => {
      const holds = (await context.relations.of(relation)).has(author.id)
      const button = document.createElement('button')
      button.type = 'button'
      button.className = relation === 'follow' && !holds ? 'primary' : 'secondary'
      button.textContent = holds ? on : off
      button.setAttribute('aria-pressed', String(holds))
      button.addEventListener('click', () => change(author, relation, !holds, context, button))
      return button
    })
    part(card, 'actions').replaceChildren(...(await Promise.all(buttons)))
  } catch (error) {
    toastError(error, () => paintActions(card, author, context))
  }
}

/** Whom the reader muted and blocked, to let them back in. @param {HTMLElement} card @param {ProfileContext} context */
async function paintLists(card, context) {
  try {
    await fillLists(card, context)
  } catch (error) {
    toastError(error, () => paintLists(card, context))
  }
}

/** @param {HTMLElement} card @param {ProfileContext} context */
async function fillLists(card, context) {
  part(card, 'lists').replaceChildren()
  for (const [relation, , title] of RELATIONS.slice(1)) {
    const authors = [...(await context.relations.of(relation)).values()]
    if (authors.length === 0) continue
    const list = document.createElement('ul')
    list.className = 'kept'
    list.append(...authors.map(author => keptRow(author, relation, context)))
    const heading = document.createElement('h3')
    heading.textContent = title
    part(card, 'lists').append(heading, list)
  }
}

/** @param {Author} author @param {Relation} relation @param {ProfileContext} context */
function keptRow(author, relation, context) {
  const row = document.createElement('li')
  const [name, button] = [document.createElement('span'), document.createElement('button')]
  name.textContent = nameOf(author)
  name.dir = 'auto'
  button.type = 'button'
  button.className = 'secondary'
  button.textContent = `Un${relation}`
  button.addEventListener('click', async () => {
    if (await change(author, relation, false, context, button)) row.remove()
  })
  row.append(name, button)
  return row
}

/**
 * @param {Author} author @param {Relation} relation @param {boolean} on
 * @param {ProfileContext} context @param {HTMLButtonElement} button
 */
async function change(author, relation, on, context, button) {
  button.disabled = true
  try {
    await context.relations.set(author, relation, on)
    context.onChange(author, relation, on)
    const card = dialog.firstElementChild
    if (author.id !== context.api.user && card instanceof HTMLElement && card.contains(button))
      await paintActions(card, author, context)
    return true
  } catch (error) {
    toastError(error)
    return false
  } finally {
    button.disabled = false
  }
}
