/** Media types of W3C DID Resolution, and which of them a request accepts. */

/** A DID resolution result, with errors as objects (v0.3) or, for older clients, as the words of DID Core 1.0. */
const RESULTS = {
  'application/did-resolution': 'objects',
  'application/ld+json;profile="https://w3id.org/did-resolution"': 'words',
  'application/json': 'words'
} as const

/** The DID document alone. */
const DOCUMENTS = ['application/did', 'application/did+ld+json', 'application/did+json'] as const

export type ResultForm =
  | { readonly kind: 'result'; readonly type: keyof typeof RESULTS; readonly errors: 'objects' | 'words' }
  | { readonly kind: 'document'; readonly type: (typeof DOCUMENTS)[number] }

/** For who accepts anything, and for errors of requests that accept nothing of ours. */
export const DEFAULT_FORM: ResultForm = { kind: 'result', type: 'application/did-resolution', errors: 'objects' }

export const MEDIA_TYPES: readonly string[] = [...Object.keys(RESULTS), ...DOCUMENTS]

/** Without their parameters, as OpenAPI keys them. */
export const RESULT_TYPES = Object.keys(RESULTS).map((type) => type.split(';')[0]!)
export const DOCUMENT_TYPES: readonly string[] = DOCUMENTS

const WILDCARDS: readonly string[] = ['*/*', 'application/*']

/** The form of the highest weight, the first of equals (RFC 9110, 12.5.1); undefined where none is ours. */
export function acceptedForm(accept: string | undefined): ResultForm | undefined {
  if (accept === undefined || accept.trim() === '') return DEFAULT_FORM
  return accept
    .split(',')
    .flatMap((range) => {
      const { type, weight } = parseRange(range)
      const form = formOf(type)
      return form !== undefined && weight > 0 ? [{ form, weight }] : []
    })
    .toSorted((left, right) => right.weight - left.weight)[0]?.form
}

/** The type in lower case, with its profile; other parameters do not count. */
function parseRange(range: string): { type: string; weight: number } {
  const [type = '', ...parameters] = range.split(';').map((part) => part.trim())
  const valueOf = (name: string): string | undefined =>
    parameters
      .find((parameter) => parameter.toLowerCase().startsWith(`${name}=`))
      ?.slice(name.length + 1)
      .replaceAll('"', '')
  const profile = valueOf('profile')
  const weight = Number(valueOf('q') ?? 1)
  return { type: type.toLowerCase() + (profile === undefined ? '' : `;profile="${profile}"`), weight }
}

function formOf(type: string): ResultForm | undefined {
  if (WILDCARDS.includes(type)) return DEFAULT_FORM
  if (Object.hasOwn(RESULTS, type)) {
    const known = type as keyof typeof RESULTS
    return { kind: 'result', type: known, errors: RESULTS[known] }
  }
  const document = DOCUMENTS.find((each) => each === type)
  return document === undefined ? undefined : { kind: 'document', type: document }
}
