export const $ = (id) => document.getElementById(id)

/** Makes an element; text is always set as text, never as HTML. */
export function element(tag, properties = {}, ...children) {
  const node = Object.assign(document.createElement(tag), properties)
  node.append(...children)
  return node
}

export function button(text, onclick, label = text) {
  const node = element('button', { type: 'button', onclick }, text)
  if (label !== text) node.setAttribute('aria-label', label)
  return node
}

const UNITS = [
  ['d', 86400],
  ['h', 3600],
  ['min', 60],
  ['s', 1]
]

/** 93784 -> "1 d 2 h": the two largest units. */
export function duration(seconds) {
  let rest = Math.max(0, Math.round(seconds))
  const parts = []
  for (const [unit, size] of UNITS) {
    if (rest >= size) parts.push(`${Math.floor(rest / size)} ${unit}`)
    rest %= size
  }
  return parts.slice(0, 2).join(' ') || '0 s'
}

export const count = (number) => number.toLocaleString('en')

/** Shows what went wrong at the top of the page, or clears it. */
export function notice(error) {
  $('notice').hidden = error === undefined
  $('notice').textContent = error === undefined ? '' : error.message
}

/** Runs what a person asked for; its error goes to `output` if given, else to the top of the page. */
export async function attempt(work, output) {
  notice()
  try {
    return await work()
  } catch (error) {
    if (output === undefined) notice(error)
    else show(output, error.message, 'bad')
    return undefined
  }
}

export function show(output, text, tone = '') {
  output.className = tone
  output.textContent = text
}
