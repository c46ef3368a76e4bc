// @ts-check
/** @import { Author, Post } from '@fanwise/sdk' */
/** @import { Api } from './api.js' */
import { compact, counted, fromTemplate, nameOf, paintAvatar, part } from './dom.js'
import { toast, toastError } from './notices.js'
import { paintTime } from './time.js'

const CONFIRM_MS = 4000

/**
 * @typedef {object} PostContext
 * @property {Api} api
 * @property {(author: Author) => void} onAuthor
 */

/** One post with what the reader can do to it. @param {Post} post @param {PostContext} context */
export function postElement(post, { api, onAuthor }) {
  const element = fromTemplate('post')
  element.dataset.id = post.id
  element.tabIndex = 0
  element.dataset.by = post.author.id
  const { name, own } = { name: nameOf(post.author), own: post.author.id === api.user }
  const avatar = part(element, 'avatar')
  paintAvatar(avatar, post.author)
  avatar.setAttribute('aria-label', `Profile of ${name}`)
  element.setAttribute('aria-label', `Post by ${name}`)
  part(element, 'name').textContent = name
  part(element, 'handle').textContent = `@${post.author.id}`
  for (const link of element.querySelectorAll('[data-author]'))
    link.addEventListener('click', () => onAuthor(post.author))
  part(element, 'hide').addEventListener('click', () => hide(element, post, api))
  part(element, 'hide').hidden = own
  part(element, 'delete').hidden = !own
  confirmTwice(part(element, 'delete'), () => remove(element, post, api))
  part(element, 'like').addEventListener('click', () => like(element, api))
  updatePost(element, post)
  return element
}

/** Shows what may change about a post. @param {HTMLElement} element @param {Post} post */
export function updatePost(element, post) {
  part(element, 'content').textContent = post.content
  paintTime(part(element, 'time'), post.createdAt)
  part(element, 'edited').hidden = post.editedAt === null
  if (!('busy' in element.dataset)) paintLike(element, post.viewer.liked, post.counts.likes)
}

/** @param {HTMLElement} element @param {boolean} liked @param {number} likes */
function paintLike(element, liked, likes) {
  const button = part(element, 'like')
  button.setAttribute('aria-pressed', String(liked))
  button.setAttribute('aria-label', `${liked ? 'Unlike' : 'Like'}, ${counted(likes, 'like')}`)
  button.dataset.count = String(likes)
  part(button, 'likes').textContent = likes === 0 ? 'Like' : compact(likes)
}

/** Shows the like first and takes it back if the server refuses. @param {HTMLElement} element @param {Api} api */
async function like(element, api) {
  const button = part(element, 'like')
  if ('busy' in element.dataset) return
  const [was, likes] = [
    button.getAttribute('aria-pressed') === 'true',
    Number(button.dataset.count)
  ]
  element.dataset.busy = ''
  paintLike(element, !was, Math.max(0, likes + (was ? -1 : 1)))
  try {
    await api.mark(element.dataset.id ?? '', 'like', !was)
  } catch (error) {
    paintLike(element, was, likes)
    toastError(error, () => like(element, api))
  }
  // The count lags by about a second: until then the next poll would show the old one.
  setTimeout(() => delete element.dataset.busy, 1500)
}

/** @param {HTMLElement} element @param {Post} post @param {Api} api */
async function hide(element, post, api) {
  const next = element.nextElementSibling
  const put = () => (next?.isConnected ? next.before(element) : null)
  try {
    await api.mark(post.id, 'hide', true)
    element.remove()
    toast('Post hidden.', {
      label: 'Undo',
      run: () => api.mark(post.id, 'hide', false).then(put, toastError)
    })
  } catch (error) {
    toastError(error, () => hide(element, post, api))
  }
}

/** @param {HTMLElement} element @param {Post} post @param {Api} api */
async function remove(element, post, api) {
  try {
    await api.deletePost(post.id)
    element.remove()
    toast('Post deleted.')
  } catch (error) {
    toastError(error, () => remove(element, post, api))
  }
}

/** The first press asks, the second one acts. @param {HTMLElement} button @param {() => void} run */
function confirmTwice(button, run) {
  const label = button.querySelector('span')
  button.addEventListener('click', () => {
    if (button.dataset.sure === 'yes') return run()
    button.dataset.sure = 'yes'
    if (label) label.textContent = 'Really delete?'
    setTimeout(() => {
      delete button.dataset.sure
      if (label) label.textContent = 'Delete'
    }, CONFIRM_MS)
  })
}
