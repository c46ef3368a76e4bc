// @ts-check
/** @import { Author } from '@fanwise/sdk' */

/** The first element below `root` that carries `data-<name>`. @param {ParentNode} root @param {string} name */
export function part(root, name) {
  const found = root.querySelector(`[data-${name}]`)
  if (!(found instanceof HTMLElement || found instanceof SVGElement))
    throw new Error(`The page has no element with data-${name}.`)
  return /** @type {HTMLElement} */ (found)
}

/** A copy of the one element in a template. @param {string} id @returns {HTMLElement} */
export function fromTemplate(id) {
  const template = document.getElementById(id)
  const copy =
    template instanceof HTMLTemplateElement
      ? template.content.firstElementChild?.cloneNode(true)
      : null
  if (!(copy instanceof HTMLElement)) throw new Error(`The page has no template ${id}.`)
  return copy
}

/** The person's picture, or initials on their own hue. @param {HTMLElement} avatar @param {Author} person */
export function paintAvatar(avatar, person) {
  const { hue } = person.attributes
  const turn = typeof hue === 'number' ? hue : hueOf(person.id)
  avatar.style.setProperty('--hue', String(turn % 360))
  avatar.textContent = initialsOf(nameOf(person))
  if (person.avatar?.startsWith('https://')) avatar.append(picture(person.avatar))
}

/** A picture that does not load leaves the initials. @param {string} address */
function picture(address) {
  const image = new Image()
  image.alt = ''
  image.referrerPolicy = 'no-referrer'
  image.addEventListener('error', () => image.remove())
  image.src = address
  return image
}

/** @param {{ id: string, name: string | null }} person */
export function nameOf({ id, name }) {
  return name === null || name.trim() === '' ? id : name
}

/** @param {string} name */
function initialsOf(name) {
  const words = name.split(/[\s._:-]+/u).filter(word => /[\p{L}\p{N}]/u.test(word))
  const letters = [words[0], words.length > 1 ? words.at(-1) : '']
  return letters
    .map(word => [...(word ?? '')][0] ?? '')
    .join('')
    .toLocaleUpperCase()
}

/** @param {string} text */
function hueOf(text) {
  let hash = 7
  for (const letter of text) hash = (hash * 31 + (letter.codePointAt(0) ?? 0)) % 360
  return hash
}

const COMPACT = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })

/** 1234 is `1.2K`. @param {number} count */
export function compact(count) {
  return COMPACT.format(count)
}

/** @param {number} count @param {string} one @param {string} [many] */
export function counted(count, one, many = `${one}s`) {
  return `${compact(count)} ${count === 1 ? one : many}`
}
