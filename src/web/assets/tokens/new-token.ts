import type { NewTokenBody, TokenScope } from '../lib/api.ts'
import { h, html, useRef, useState } from '../lib/html.ts'
import { post, Problem, reasonOf } from '../lib/http.ts'
import { refresh } from '../lib/resource.ts'
import { useForm } from '../parts/act.ts'
import { Button, Notice } from '../parts/basics.ts'
import { FormDialog, Modal } from '../parts/dialog.ts'
import { CheckField, TextField } from '../parts/fields.ts'

/** What each scope of a token allows, as docs/api.md has it. */
export const SCOPES: Readonly<Record<TokenScope, string>> = {
  read: 'sees everything, and changes nothing: names, tasks, settings, metrics',
  vdf: 'starts, pauses and cancels work; releases names',
  publish: 'publishes zones, identities and manifests',
  admin: 'may do everything, also settings, pins and tokens'
}

/** What a new token is for, with its scopes: most need one of these. */
interface Use {
  readonly id: string
  readonly text: string
  readonly scopes: readonly TokenScope[]
}

export const USES: readonly Use[] = [
  { id: 'monitor', text: 'Watch it, for example with Prometheus', scopes: ['read'] },
  { id: 'zones', text: 'Update zones, for example from a script', scopes: ['read', 'publish'] },
  { id: 'names', text: 'Register and renew names', scopes: ['read', 'vdf', 'publish'] },
  { id: 'all', text: 'Everything, like the main token', scopes: ['admin'] }
]

/** The use that has just these scopes. */
export const useOf = (scopes: readonly TokenScope[]): string | undefined =>
  USES.find((use) => use.scopes.length === scopes.length && use.scopes.every((scope) => scopes.includes(scope)))?.id

export function NewToken({ onClose, onMade }: { onClose: () => void; onMade: (made: NewTokenBody) => void }) {
  const [label, setLabel] = useState('')
  const [scopes, setScopes] = useState<readonly TokenScope[]>(['read'])
  const form = useForm(
    async () => {
      if (scopes.length === 0) throw new Error('Choose at least one scope.')
      const name = label.trim()
      const made = await post('/api/tokens', { scopes: [...scopes], ...(name !== '' && { label: name }) })
      void refresh('/api/tokens')
      onMade(made)
    },
    (trouble) => (trouble instanceof Problem ? trouble.errors[0]?.message : undefined) ?? reasonOf(trouble)
  )
  const choose = form.clearing(setScopes)
  return html`
    <${FormDialog} title="New token" form=${form} yes="Make it" onClose=${onClose}>
      ${h(TextField, {
        label: 'Label',
        hint: 'So that you know later which program has it.',
        value: label,
        maxlength: 100,
        placeholder: 'prometheus',
        'data-focus': true,
        onInput: setLabel
      })}
      <fieldset class="choices">
        <legend>What is it for?</legend>
        ${USES.map(
          ({ id, text, scopes: its }) =>
            html`<label class="check" key=${id}>
              <input type="radio" name="use" checked=${useOf(scopes) === id} onChange=${() => choose(its)} />
              <span>${text} <span class="hint">${its.join(', ')}</span></span>
            </label>`
        )}
      </fieldset>
      <details>
        <summary>Choose scopes</summary>
        <div class="stack more">
          ${(Object.entries(SCOPES) as [TokenScope, string][]).map(([scope, hint]) =>
            h(CheckField, {
              key: scope,
              label: scope,
              hint,
              value: scopes.includes(scope),
              onChange: (isOn) => choose(isOn ? [...scopes, scope] : scopes.filter((each) => each !== scope))
            })
          )}
        </div>
      </details>
      ${form.error && html`<p class="field-error" role="alert">${form.error}</p>`}
    <//>
  `
}

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
  const onClick = async () => {
    const { clipboard } = navigator as Partial<Navigator>
    if (clipboard === undefined) {
      getSelection()?.selectAllChildren(shown.current!)
      return
    }
    await clipboard.writeText(token)
    setCopied(true)
  }
  const title = isMain ? 'The new main token' : `The token ${label ? `"${label}"` : ''}`
  const copy = { icon: isCopied ? 'check' : 'copy', kind: 'main', 'data-focus': true, onClick } as const
  return html`
    <${Modal} title=${title} onClose=${() => undefined}>
      <div class="stack">
        <${Notice} tone="warn">
          ${isMain ? 'Also in its file. ' : 'It is shown this once: the daemon keeps only its hash. '}Copy it now.
        <//>
        <output class="secret" aria-label="Token" ref=${shown}>${token}</output>
        <div class="answers">
          ${h(Button, copy, isCopied ? 'Copied' : 'Copy')} ${h(Button, { onClick: onClose }, 'I have it')}
        </div>
      </div>
    <//>
  `
}
