import encodeQR from 'qr'
import type { OwnedNameView } from '../lib/api.ts'
import { html, useMemo, useState } from '../lib/html.ts'
import { Button, Copy, Facts } from '../parts/basics.ts'
import { Modal } from '../parts/dialog.ts'

/** Characters of a code where DNS has no room for name and code in one. */
const SHORT_CODE = 6
/** Light modules around a code, by ISO/IEC 18004. */
const QUIET_ZONE = 4

function QrCode({ text }: { text: string }) {
  const rows = useMemo(() => encodeQR(text, 'raw', { border: QUIET_ZONE }), [text])
  const dark = rows.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : ''))).join('')
  return html`
    <svg class="qr" viewBox="0 0 ${rows.length} ${rows.length}" role="img" aria-label="QR code of ${text}">
      <path d=${dark} />
    </svg>
  `
}

const Copied = ({ text, what }: { text: string; what: string }) => html`
  <span class="hash"><code>${text}</code><${Copy} text=${text} what=${what} /></span>
`

/** What its owner gives to others, so that they find this claim and no other. */
export function ShareButton({ owned: { name, coded_name: coded, check_code: code } }: { owned: OwnedNameView }) {
  const [isOpen, setOpen] = useState(false)
  const close = () => setOpen(false)
  const link = coded === null ? undefined : new URL(`http:${coded}`).href
  return html`
    <${Button} icon="out" onClick=${() => setOpen(true)}>Share<//>
    ${
      isOpen &&
      html`<${Modal} title="Share ${name}" onClose=${close}>
        <p>Who looks it up with its check code finds your claim, or nothing: never that of somebody else.</p>
        <${Facts}
          facts=${
            link === undefined
              ? [
                  ['Name', html`<${Copied} text=${name} what="name" />`],
                  ['Check code', html`<${Copied} text=${code.slice(0, SHORT_CODE)} what="check code" />`]
                ]
              : [
                  ['Name with code', html`<${Copied} text=${coded} what="name with its code" />`],
                  ['Link', html`<${Copied} text=${link} what="link" />`]
                ]
          }
        />
        ${
          link === undefined
            ? html`<p class="quiet">The two together are longer than DNS allows: give them apart.</p>`
            : html`<${QrCode} text=${link} />`
        }
        <div class="answers"><${Button} onClick=${close} data-focus>Close<//></div>
      <//>`
    }
  `
}
