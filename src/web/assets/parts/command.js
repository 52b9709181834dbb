import { program, programHere, withProgram } from '../lib/command.js'
import { html } from '../lib/html.js'
import { useResource } from '../lib/resource.js'
import { useMay } from '../lib/session.js'
import { localTimes } from '../lib/words.js'
import { Copy } from './basics.js'

/** `chronym` and its options for this daemon. `isHere`: for the computer of the page, not only that of the daemon. */
export function useProgram({ isHere = false } = {}) {
  const mayRead = useMay('read')
  const fields = useResource(mayRead ? '/api/config/fields' : null, { every: Infinity }).data
  return isHere ? programHere(fields, location) : program(fields)
}

/** A command with a button that copies it. `words`: what follows `chronym`. */
export const Command = ({ words, isHere }) => {
  const text = `${useProgram({ isHere })} ${words}`
  return html`<span class="hash"><code>${text}</code><${Copy} text=${text} what="command" /></span>`
}

/** What the daemon says, with times as this browser has them and commands as this daemon needs them. */
export const Told = ({ text }) => localTimes(withProgram(text, useProgram()))
