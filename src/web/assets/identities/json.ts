import { html } from '../lib/html.ts'
import { Copy } from '../parts/basics.ts'

/** A value as text, folded away at first. */
export function Json({ value, title }: { value: unknown; title: string }) {
  const text = JSON.stringify(value, undefined, 2)
  return html`
    <details class="more">
      <summary>${title}</summary>
      <div class="json">
        <pre tabindex="0" aria-label=${title}>${text}</pre>
        <${Copy} text=${text} what="JSON" />
      </div>
    </details>
  `
}
