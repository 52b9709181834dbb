import { h, html, useId, useState, type Children, type TargetedEvent } from '../lib/html.ts'
import { useForm } from './act.ts'
import { Button, type Rest } from './basics.ts'

interface Labelled {
  readonly label: string
  readonly hint?: Children
  readonly error?: string | undefined
  readonly class?: string | undefined
}

/** A label with its control, a hint and an error. `control` takes the attributes that tie it to these. */
export function Field({
  label,
  hint,
  error,
  class: name = '',
  control
}: Labelled & { control: (attributes: Rest) => Children }) {
  const id = useId()
  const describedBy = [error && `${id}-error`, hint && `${id}-hint`].filter(Boolean).join(' ') || undefined
  return html`
    <div class="field ${name}">
      <label for=${id}>${label}</label>
      ${control({ id, 'aria-describedby': describedBy, 'aria-invalid': error ? 'true' : undefined })}
      ${error && html`<p class="field-error" id="${id}-error">${error}</p>`}
      ${hint && html`<p class="hint" id="${id}-hint">${hint}</p>`}
    </div>
  `
}

interface TextFieldProps extends Labelled {
  readonly value: string
  readonly onInput: (text: string) => void
  /** More than one line, and how many are seen. */
  readonly lines?: number | undefined
}

/** A line of text, or several. What else it is given goes to the element, e.g. `inputmode`, `required`. */
export const TextField = ({ label, hint, error, class: name, value, onInput, lines, ...rest }: TextFieldProps & Rest) =>
  h(Field, {
    ...{ label, hint, error, class: name },
    control: (attributes) =>
      html`<${lines === undefined ? 'input' : 'textarea'}
        rows=${lines}
        value=${value}
        autocomplete="off"
        autocapitalize="none"
        spellcheck=${false}
        onInput=${(event: TargetedEvent<HTMLInputElement | HTMLTextAreaElement>) => onInput(event.currentTarget.value)}
        ...${{ ...attributes, ...rest }}
      />`
  })

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
  class: name,
  value,
  options,
  onChange,
  ...rest
}: SelectFieldProps & Rest) =>
  h(Field, {
    ...{ label, hint, error, class: name },
    control: (attributes) =>
      html`<select
        value=${value}
        onChange=${(event: TargetedEvent<HTMLSelectElement>) => onChange(event.currentTarget.value)}
        ...${{ ...attributes, ...rest }}
      >
        ${options.map((option) => {
          const [each, text] = typeof option === 'string' ? [option, option] : option
          return html`<option value=${each} selected=${each === value} key=${each}>${text}</option>`
        })}
      </select>`
  })

interface CheckFieldProps {
  readonly label: string
  readonly hint?: string
  readonly value: boolean
  readonly onChange: (isOn: boolean) => void
}

export const CheckField = ({ label, hint, value, onChange }: CheckFieldProps) => html`
  <label class="check">
    <input
      type="checkbox"
      checked=${value}
      onChange=${(event: TargetedEvent<HTMLInputElement>) => onChange(event.currentTarget.checked)}
    />
    <span>${label}${hint && html`<span class="hint">${hint}</span>`}</span>
  </label>
`

interface AskFormProps {
  readonly label: string
  readonly hint?: string
  readonly placeholder: string
  /** What the line has at first, and whenever that changes. */
  readonly start?: string | undefined
  readonly button: Children
  readonly kind?: string
  readonly isBusy?: boolean
  readonly disabled?: boolean
  /** Takes the text without spaces around it, and throws what is wrong with it. True empties the line. */
  readonly ask: (text: string) => unknown
}

/** One line that asks for something, with its button. */
export function AskForm({ start = '', button, kind = 'main', isBusy = false, disabled, ask, ...field }: AskFormProps) {
  const [line, setLine] = useState({ start, text: start })
  const setText = (text: string) => setLine({ start, text })
  // While it is drawn: an effect would come later, and take away what was typed meanwhile.
  if (line.start !== start) setText(start)
  const text = line.start === start ? line.text : start
  const { error, onSubmit, clearing, ...form } = useForm(async () => {
    if ((await ask(text.trim())) === true) setText('')
  })
  return html`
    <form class="ask" onSubmit=${onSubmit} role="search">
      ${h(TextField, { ...field, error, value: text, onInput: clearing(setText) })}
      ${h(Button, { kind, type: 'submit', icon: 'lookup', busy: isBusy || form.isBusy, disabled }, button)}
    </form>
  `
}
