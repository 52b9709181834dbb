import { type Children, html, type TargetedEvent, useState } from '../lib/html.ts'

let serial = 0

interface Labelled {
  readonly label: string
  readonly hint?: Children
  readonly error?: string | undefined
  readonly isLabelHidden?: boolean
  readonly class?: string
}

/** Of the control, as `id`, `aria-describedby` and `aria-invalid`. */
interface Control {
  readonly id: string
  readonly describedBy: string | undefined
  readonly invalid: 'true' | undefined
}

/** Goes to the element, e.g. `inputmode`, `placeholder`, `required`. */
type Rest = Readonly<Record<string, unknown>>

/** A label with its control, a hint and an error. */
export function Field({
  label,
  hint,
  error,
  isLabelHidden = false,
  class: name = '',
  children
}: Labelled & { children: (control: Control) => Children }) {
  const [id] = useState(() => `field-${++serial}`)
  const describedBy = [error && `${id}-error`, hint && `${id}-hint`].filter(Boolean).join(' ') || undefined
  return html`
    <div class="field ${name}">
      <label for=${id} class=${isLabelHidden ? 'hidden' : ''}>${label}</label>
      ${children({ id, describedBy, invalid: error ? 'true' : undefined })}
      ${error && html`<p class="field-error" id="${id}-error">${error}</p>`}
      ${hint && html`<p class="hint" id="${id}-hint">${hint}</p>`}
    </div>
  `
}

interface TextFieldProps extends Labelled {
  readonly value: string
  readonly onInput: (text: string) => void
  /** More than one line, and how many are seen. */
  readonly lines?: number
}

/** A line of text, or several. */
export const TextField = ({
  label,
  hint,
  error,
  isLabelHidden,
  class: name,
  value,
  onInput,
  lines,
  ...rest
}: TextFieldProps & Rest) => html`
  <${Field} ...${{ label, hint, error, isLabelHidden, class: name }}>
    ${({ id, describedBy, invalid }: Control) =>
      html`<${lines === undefined ? 'input' : 'textarea'}
        id=${id}
        rows=${lines}
        value=${value}
        aria-describedby=${describedBy}
        aria-invalid=${invalid}
        autocomplete="off"
        autocapitalize="none"
        spellcheck=${false}
        onInput=${(event: TargetedEvent<HTMLInputElement | HTMLTextAreaElement>) => onInput(event.currentTarget.value)}
        ...${rest}
      />`}
  <//>
`

/** A text, or a value and its text. */
export type Option = string | readonly [value: string, text: string]

interface SelectFieldProps extends Labelled {
  readonly value: string
  readonly options: readonly Option[]
  readonly onChange: (value: string) => void
}

export const SelectField = ({
  label,
  hint,
  error,
  isLabelHidden,
  class: name,
  value,
  options,
  onChange,
  ...rest
}: SelectFieldProps & Rest) => html`
  <${Field} ...${{ label, hint, error, isLabelHidden, class: name }}>
    ${({ id, describedBy, invalid }: Control) =>
      html`<select
        id=${id}
        value=${value}
        aria-describedby=${describedBy}
        aria-invalid=${invalid}
        onChange=${(event: TargetedEvent<HTMLSelectElement>) => onChange(event.currentTarget.value)}
        ...${rest}
      >
        ${options.map((option) => {
          const [each, text] = typeof option === 'string' ? [option, option] : option
          return html`<option value=${each} selected=${each === value} key=${each}>${text}</option>`
        })}
      </select>`}
  <//>
`

export const CheckField = ({
  label,
  hint,
  value,
  onChange,
  ...rest
}: { label: string; hint?: Children; value: boolean; onChange: (isOn: boolean) => void } & Rest) => html`
  <label class="check">
    <input
      type="checkbox"
      checked=${value}
      onChange=${(event: TargetedEvent<HTMLInputElement>) => onChange(event.currentTarget.checked)}
      ...${rest}
    />
    <span>${label}${hint && html`<span class="hint">${hint}</span>`}</span>
  </label>
`
