// @ts-check
const MINUTE_S = 60
const HOUR_S = 3600
const DAY_S = 86_400
const EXACT = new Intl.DateTimeFormat('en', { dateStyle: 'full', timeStyle: 'medium' })
const THIS_YEAR = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric' })
const OTHER_YEAR = new Intl.DateTimeFormat('en', {
  ...{ month: 'short', day: 'numeric', year: 'numeric' }
})

/** Writes how long ago it was, with the exact time on hover. @param {HTMLElement} element @param {string} iso */
export function paintTime(element, iso) {
  element.setAttribute('datetime', iso)
  element.title = EXACT.format(new Date(iso))
  element.textContent = ago(new Date(iso), new Date())
}

/** Brings all times on the page up to date. */
export function repaintTimes() {
  for (const element of document.querySelectorAll('time[datetime]'))
    element.textContent = ago(new Date(element.getAttribute('datetime') ?? ''), new Date())
}

/** @param {Date} then @param {Date} now */
function ago(then, now) {
  const seconds = Math.max(0, (now.getTime() - then.getTime()) / 1000)
  if (seconds < MINUTE_S) return 'now'
  if (seconds < HOUR_S) return `${Math.floor(seconds / MINUTE_S)} min`
  if (seconds < DAY_S) return `${Math.floor(seconds / HOUR_S)} h`
  if (seconds < 7 * DAY_S) return `${Math.floor(seconds / DAY_S)} d`
  const sameYear = then.getFullYear() === now.getFullYear()
  return (sameYear ? THIS_YEAR : OTHER_YEAR).format(then)
}
