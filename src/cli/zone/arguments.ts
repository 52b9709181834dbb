/** Records and selectors as they are given on the command line. */
import { canonicalName } from '../../protocol/name/names.ts'
import { RECORD_TYPES } from '../../protocol/zone/zone.ts'
import { usageFailure } from '../failures/failure.ts'
import { zoneOfLines, type ZoneInput } from '../zone-file/zone-input.ts'

export interface Selector {
  readonly label: string
  readonly type?: string
  readonly value?: string
}

/** Each argument is a record; words without white space are together one: `zone add NAME www A 192.0.2.1`. */
export function recordsOfArguments(name: string, words: readonly string[]): ZoneInput {
  const lines = words.some((word) => /\s/u.test(word.trim())) ? words : [words.join(' ')]
  const zone = zoneOfLines(lines, (index) => `record ${index + 1}`)
  for (const label of Object.keys(zone.records)) requireLabel(name, label)
  return zone
}

/** `LABEL [TYPE [VALUE]]` each; a label and a type as two words are one selector. */
export function selectorsOfArguments(name: string, words: readonly string[]): Selector[] {
  const isOne = words.length > 1 && words.every((word) => !/\s/u.test(word)) && isType(words[1]!)
  return (isOne ? [words.join(' ')] : words).map((text) => {
    const { label, type, value } =
      /^(?<label>\S+)(?:\s+(?<type>\S+)(?:\s+(?<value>\S.*))?)?$/u.exec(text.trim())?.groups ?? {}
    if (label === undefined)
      throw usageFailure(`"${text}" selects nothing`, "Write LABEL [TYPE [VALUE]], such as 'www A'.")
    requireLabel(name, label)
    if (type !== undefined && !isType(type))
      throw usageFailure(
        `"${text}": ${type} is no record type`,
        `Write LABEL [TYPE [VALUE]]; types are ${RECORD_TYPES.join(', ')}.`
      )
    return {
      label,
      ...(type === undefined ? {} : { type: type.toUpperCase() }),
      ...(value === undefined ? {} : { value })
    }
  })
}

function isType(word: string): boolean {
  return (RECORD_TYPES as readonly string[]).includes(word.toUpperCase())
}

/** `www.alice.chronym` would be below the apex once more. */
function requireLabel(name: string, label: string): void {
  const apex = canonicalName(name)
  const full = canonicalName(label)
  if (full !== apex && !full.endsWith(`.${apex}`)) return
  const meant = full === apex ? '@' : full.slice(0, -apex.length - 1)
  throw usageFailure(
    `${label} is a whole name; records are given with their label below ${apex}`,
    `Write "${meant}" in its place.`
  )
}
