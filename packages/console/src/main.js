// @ts-check
/** @import { Author } from '@fanwise/sdk' */
/** @import { ProfileContext } from './profile.js' */
import { Api } from './api.js'
import { paintComposer, startComposer } from './composer.js'
import { nameOf, paintAvatar, part } from './dom.js'
import { toastError } from './notices.js'
import { People, personRow } from './people.js'
import { closeProfile, openProfile } from './profile.js'
import { Relations } from './relations.js'
import { Stream } from './stream.js'
import { repaintTimes } from './time.js'

const FACES = 6
const REPAINT_MS = 30_000

/**
 * Who reads, and what is on the page. The address says both: `#ada` is Ada's feed, `#ada/bob` Bob's posts as Ada
 * sees them.
 * @typedef {object} Session
 * @property {Api} api
 * @property {Relations} relations
 * @property {Author} me
 */

/** @type {Session | undefined} */
let session
/** @type {Stream | undefined} */
let stream
/** How often the address changed: what belongs to an earlier one is dropped. */
let turns = 0

/** Half stars, half people whom few know. */
const people = new People(all => {
  const some = [...all.slice(0, FACES / 2), ...all.slice(FACES / 2).slice(-FACES / 2)]
  part(document, 'faces').replaceChildren(...some.map(personRow))
})

function profileContext() {
  if (session === undefined) throw new Error('Nobody is picked.')
  /** @type {ProfileContext} */
  const context = {
    api: session.api,
    relations: session.relations,
    onChange(author, relation, on) {
      const gone = relation === 'follow' ? !on : on
      if (gone && !isTimeline()) stream?.dropAuthor(author.id)
      else stream?.reload()
    }
  }
  return context
}

/** @param {Author} author */
function showAuthor(author) {
  openProfile(author, profileContext())
}

function show() {
  route().catch(error => toastError(error, show))
}

async function route() {
  const turn = ++turns
  const [me = '', author = ''] = decodeURIComponent(location.hash.slice(1)).split('/')
  stream?.close()
  closeProfile()
  showPeople(false)
  part(document, 'welcome').hidden = me !== ''
  part(document, 'stream').hidden = me === ''
  part(document, 'me').hidden = me === ''
  people.select(me)
  scrollTo({ top: 0, behavior: 'instant' })
  if (me === '') {
    session = undefined
    return
  }
  const at = session?.me.id === me ? session : await signIn(me)
  if (turn !== turns) return
  session = at
  paintMe(at.me)
  paintComposer(at.me)
  showStream(at, author)
}

/** @param {string} id @returns {Promise<Session>} */
async function signIn(id) {
  const api = new Api(id)
  /** @type {Author} */
  const unknown = { id, name: null, avatar: null, attributes: {} }
  const me = people.find(id) ?? (await api.profile(id).catch(() => unknown))
  return { api, relations: new Relations(api), me }
}

/** @param {Session} at @param {string} author empty for the feed */
function showStream(at, author) {
  const user = encodeURIComponent(author)
  const context = { api: at.api, onAuthor: showAuthor }
  const heading = part(document, 'heading')
  heading.hidden = author === ''
  part(document, 'composer').hidden = author !== ''
  document.title = `${author === '' ? nameOf(at.me) : author} · Fanwise`
  stream?.close()
  if (author === '') {
    const empty = 'Nothing here yet. Write the first post, or follow somebody.'
    stream = new Stream('/v1/feed', context, empty)
    return
  }
  stream = new Stream(`/v1/users/${user}/posts`, context, 'No posts yet.')
  paintHeading(heading, author, at)
}

/** @param {HTMLElement} heading @param {string} id @param {Session} at */
function paintHeading(heading, id, at) {
  const back = document.createElement('a')
  back.href = `#${at.me.id}`
  back.className = 'secondary'
  back.textContent = 'Back to the feed'
  const title = document.createElement('h1')
  title.dir = 'auto'
  title.textContent = people.find(id)?.name ?? id
  heading.replaceChildren(title, back)
}

/** @param {Author} me */
function paintMe(me) {
  const button = part(document, 'me')
  const [avatar, name] = [document.createElement('span'), document.createElement('span')]
  avatar.className = 'avatar small'
  paintAvatar(avatar, me)
  name.textContent = nameOf(me)
  name.dir = 'auto'
  button.replaceChildren(avatar, name)
  button.setAttribute('aria-label', `You read as ${nameOf(me)}: profile and settings`)
}

function isTimeline() {
  return location.hash.includes('/')
}

/** On a narrow screen the list of people is a sheet. @param {boolean} open */
function showPeople(open) {
  document.body.classList.toggle('picking', open)
}

startComposer(() => session && { api: session.api, onPost: post => stream?.prepend(post) })
part(document, 'me').addEventListener('click', () => session && showAuthor(session.me))
part(document, 'pick').addEventListener('click', () => showPeople(true))
part(document, 'close-people').addEventListener('click', () => showPeople(false))
addEventListener('keydown', event => event.key === 'Escape' && showPeople(false))
addEventListener('hashchange', show)
setInterval(repaintTimes, REPAINT_MS)
show()
