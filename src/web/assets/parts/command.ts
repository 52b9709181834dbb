import { program, programHere, withProgram } from '../lib/command.ts'
import { html } from '../lib/html.ts'
import { useResource } from '../lib/resource.ts'
import { useMay } from '../lib/session.ts'
import { localTimes } from '../lib/words.ts'
import { Copy } from './basics.ts'

/** `chronym` and its options for this daemon. `isHere`: for the computer of the page, not only that of the daemon. */
export function useProgram({ isHere = false } = {}): string {
  const mayRead = useMay('read')
  const fields = useResource(mayRead ? '/api/config/fields' : null, { every: Infinity }).data
  return isHere ? programHere(fields, location) : program(fields)
}

/** A command with a button that copies it. `words`: what follows `chronym`. */
export const Command = ({ words, isHere = false }: { words: string; isHere?: boolean }) => {
  const text = `${useProgram({ isHere })} ${words}`
  return html`<span class="hash"><code>${text}</code><${Copy} text=${text} what="command" /></span>`
}

/** What the daemon says, with times as this browser has them and commands as this daemon needs them. */
export const Told = ({ text }: { text: string }) => localTimes(withProgram(text, useProgram()))
