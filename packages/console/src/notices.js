// @ts-check
import { ApiError } from './api.js'
import { fromTemplate, part } from './dom.js'

const SHOWN_MS = 6000

/**
 * A line at the bottom of the page that goes away by itself.
 * @param {string} text @param {{ label: string, run: () => void }} [action]
 */
export function toast(text, action) {
  const box = document.createElement('div')
  box.className = 'toast'
  const line = document.createElement('span')
  line.textContent = text
  box.append(line)
  if (action !== undefined) box.append(actionButton(action, box))
  part(document, 'toasts').append(box)
  setTimeout(() => box.remove(), SHOWN_MS)
}

/** @param {unknown} error @param {() => void} [retry] */
export function toastError(error, retry) {
  const { code, message } = explain(error)
  toast(`${message} (${code})`, retry && { label: 'Try again', run: retry })
}

/** A box with what went wrong and a way to repeat it. @param {unknown} error @param {() => void} retry */
export function trouble(error, retry) {
  const { code, message } = explain(error)
  const box = fromTemplate('trouble')
  part(box, 'message').textContent = message
  part(box, 'code').textContent = code
  part(box, 'retry').addEventListener('click', retry)
  return box
}

/** @param {unknown} error */
export function explain(error) {
  if (error instanceof ApiError) return { code: error.code, message: error.message }
  return { code: 'page_error', message: error instanceof Error ? error.message : String(error) }
}

/** @param {{ label: string, run: () => void }} action @param {HTMLElement} box */
function actionButton({ label, run }, box) {
  const button = document.createElement('button')
  button.type = 'button'
  button.textContent = label
  button.addEventListener('click', () => {
    box.remove()
    run()
  })
  return button
}
