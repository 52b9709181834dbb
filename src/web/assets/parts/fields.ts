import { html, useState } from '../lib/html.ts'

let serial = 0

/**
 * A label with its control, a hint and an error. `children({id, describedBy, invalid})` draws the control with these as
 * `id`, `aria-describedby` and `aria-invalid`.
 */
export function Field({ label, hint, error, isLabelHidden = false, class: name = '', children }) {
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

/** `onInput(text)` as one types. Further properties go to the element, e.g. `inputmode`, `placeholder`, `required`. */
export const TextField = ({ label, hint, error, isLabelHidden, class: name, value, onInput, lines, ...rest }) => html`
  <${Field} ...${{ label, hint, error, isLabelHidden, class: name }}>
    ${({ id, describedBy, invalid }) =>
      html`<${lines === undefined ? 'input' : 'textarea'}
        id=${id}
        rows=${lines}
        value=${value}
        aria-describedby=${describedBy}
        aria-invalid=${invalid}
        autocomplete="off"
        autocapitalize="none"
        spellcheck=${false}
        onInput=${(event) => onInput(event.currentTarget.value)}
        ...${rest}
      />`}
  <//>
`

/** `options`: [[value, text], ...] or [text, ...]. `onChange(value)`. */
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
}) => html`
  <${Field} ...${{ label, hint, error, isLabelHidden, class: name }}>
    ${({ id, describedBy, invalid }) =>
      html`<select
        id=${id}
        value=${value}
        aria-describedby=${describedBy}
        aria-invalid=${invalid}
        onChange=${(event) => onChange(event.currentTarget.value)}
        ...${rest}
      >
        ${options.map((option) => {
          const [each, text] = Array.isArray(option) ? option : [option, option]
          return html`<option value=${each} selected=${each === value} key=${each}>${text}</option>`
        })}
      </select>`}
  <//>
`

export const CheckField = ({ label, hint, value, onChange, ...rest }) => html`
  <label class="check">
    <input type="checkbox" checked=${value} onChange=${(event) => onChange(event.currentTarget.checked)} ...${rest} />
    <span>${label}${hint && html`<span class="hint">${hint}</span>`}</span>
  </label>
`
