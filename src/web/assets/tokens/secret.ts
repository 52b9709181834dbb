import { html, useRef, useState } from '../lib/html.ts'
import { Button, Notice } from '../parts/basics.ts'
import { Modal } from '../parts/dialog.ts'

/** The main token has no label. */
export interface Made {
  readonly token: string
  readonly label?: string | null
  readonly isMain?: boolean
}

/** A secret that is shown this once. Esc does not lose it: the window closes by its button. */
export function Secret({ made: { token, label, isMain = false }, onClose }: { made: Made; onClose: () => void }) {
  const [isCopied, setCopied] = useState(false)
  const shown = useRef<HTMLOutputElement>(null)
  /** Over plain HTTP from another machine browsers offer no clipboard: then the text is selected. */
  const copy = async () => {
    const { clipboard } = navigator as Partial<Navigator>
    if (clipboard === undefined) {
      getSelection()?.selectAllChildren(shown.current!)
      return
    }
    await clipboard.writeText(token)
    setCopied(true)
  }
  return html`
    <${Modal}
      title=${isMain ? 'The new main token' : `The token ${label ? `"${label}"` : ''}`}
      onClose=${() => undefined}
    >
      <div class="stack">
        <${Notice} tone="warn">
          ${isMain ? 'Also in its file. ' : 'It is shown this once: the daemon keeps only its hash. '}Copy it now.
        <//>
        <output class="secret" aria-label="Token" ref=${shown}>${token}</output>
        <div class="answers">
          <${Button} icon=${isCopied ? 'check' : 'copy'} kind="main" data-focus=${true} onClick=${copy}
            >${isCopied ? 'Copied' : 'Copy'}<//
          >
          <${Button} onClick=${onClose}>I have it<//>
        </div>
      </div>
    <//>
  `
}
