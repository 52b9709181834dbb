/** Secrets that a person gave in the wrong place, and that a message would repeat. Pure. */

/** An identity of age, and all that stands before the host of a URL: logs and screenshots keep messages. */
const SECRETS = /AGE-SECRET-KEY-[0-9A-Z-]*|(?<=\b[a-z][a-z0-9+.-]*:\/\/)[^\s"'`<>]*(?=@)/giu

/** The text with `***` in the place of each. */
export function masked(text: string): string {
  return text.replace(SECRETS, '***')
}
