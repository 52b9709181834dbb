/** Text from others, made safe for a terminal. Pure. */

/** Control characters (C0, DEL, C1), direction marks, and what a terminal shows as nothing or as a line end. */
export const HIDDEN = String.raw`\u0000-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff`
const UNPRINTABLE = new RegExp(`[${HIDDEN}]`, 'gu')

export const escapeOf = (mark: string): string => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`

/** In one line: a TXT record can't move the cursor or hide text. Inside of JSON the escapes are JSON's own. */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, escapeOf)
}
