// @ts-check
/** @import { Author, Post } from '@fanwise/sdk' */
/** @import { Api } from './api.js' */
import { newKey } from './api.js'
import { nameOf, paintAvatar, part } from './dom.js'
import { explain } from './notices.js'

const CONTENT_MAX = 10_000
const NEARLY = 9500

/**
 * The box for a post of one's own.
 * @param {() => { api: Api, onPost: (post: Post) => void } | undefined} session
 */
export function startComposer(session) {
  const form = /** @type {HTMLFormElement} */ (part(document, 'composer'))
  const text = /** @type {HTMLTextAreaElement} */ (form.elements.namedItem('content'))
  const submit = /** @type {HTMLButtonElement} */ (form.querySelector('[type=submit]'))
  const hint = part(form, 'hint')
  let key = newKey()

  const paint = () => {
    submit.disabled = text.value.trim() === ''
    hint.textContent = text.value.length > NEARLY ? `${CONTENT_MAX - text.value.length} left` : ''
  }
  text.addEventListener('input', () => {
    // Another text is another request; the same one keeps its key, so that a repeat cannot post twice.
    key = newKey()
    paint()
  })
  text.addEventListener('keydown', event => {
    if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) form.requestSubmit()
  })
  form.addEventListener('submit', async event => {
    event.preventDefault()
    const at = session()
    if (at === undefined || submit.disabled) return
    submit.disabled = true
    try {
      at.onPost(await at.api.createPost(text.value, key))
      text.value = ''
      key = newKey()
      paint()
    } catch (error) {
      paint()
      const { code, message } = explain(error)
      hint.textContent = `${message} (${code})`
    }
  })
}

/** @param {Author} me */
export function paintComposer(me) {
  const form = part(document, 'composer')
  paintAvatar(part(form, 'avatar'), me)
  form.querySelector('textarea')?.setAttribute('placeholder', `Post as ${nameOf(me)} …`)
}
