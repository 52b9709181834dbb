/** Identity documents and manifests in words. Pure. */

/** A DID document as far as the page shows it: peers may send more, or less. */
export interface DidDocument {
  readonly id: string
  readonly version?: number
  readonly deactivated?: boolean
  readonly alsoKnownAs?: readonly string[]
  readonly verificationMethod?: readonly Method[]
  readonly service?: readonly {
    readonly id: string
    readonly type: string | readonly string[]
    readonly serviceEndpoint: unknown
  }[]
  readonly proof?: Proof | readonly Proof[]
}
interface Method {
  readonly id: string
  readonly type: string
  readonly publicKeyMultibase?: string
  readonly publicKeyJwk?: unknown
}
export interface Proof {
  readonly created?: string
}

export interface Capability {
  readonly id: string
  readonly type: string
  readonly description?: string
  readonly protocol: string
  readonly endpoint: string
}
/** An identity without a manifest is shown with no capabilities, and nothing else. */
export const isManifest = (shown: object): shown is ManifestDocument => 'version' in shown

export interface ManifestDocument {
  readonly version?: number
  readonly validFrom?: string
  readonly validUntil?: string
  readonly capabilities: readonly Capability[]
}

export interface Key {
  readonly id: string
  readonly type: string
  readonly key: string
  /** In words. */
  readonly purposes: readonly string[]
}
export interface Service {
  readonly id: string
  readonly type: string
  readonly endpoint: string
}

const PURPOSES = {
  authentication: 'logs in',
  assertionMethod: 'makes statements',
  keyAgreement: 'is encrypted to',
  capabilityInvocation: 'uses rights',
  capabilityDelegation: 'passes rights on'
}

const idOf = (entry: string | { readonly id: string }): string => (typeof entry === 'string' ? entry : entry.id)
/** `did:x:y#key-1` -> `#key-1`. */
export const fragmentOf = (id: string): string => (id.includes('#') ? id.slice(id.indexOf('#')) : id)

type Purposes = Readonly<Partial<Record<string, readonly (string | { readonly id: string })[]>>>

export function keysOf(document: Pick<DidDocument, 'verificationMethod'>): Key[] {
  const purposes = document as Purposes
  return (document.verificationMethod ?? []).map((method) => ({
    id: fragmentOf(method.id),
    type: method.type,
    key: method.publicKeyMultibase ?? JSON.stringify(method.publicKeyJwk ?? null),
    purposes: Object.entries(PURPOSES)
      .filter(([purpose]) => (purposes[purpose] ?? []).some((entry) => idOf(entry) === method.id))
      .map(([, words]) => words)
  }))
}

export const servicesOf = (document: Pick<DidDocument, 'service'>): Service[] =>
  (document.service ?? []).map(({ id, type, serviceEndpoint }) => ({
    id: fragmentOf(id),
    type: typeof type === 'string' ? type : type.join(', '),
    endpoint: typeof serviceEndpoint === 'string' ? serviceEndpoint : JSON.stringify(serviceEndpoint)
  }))

type Versioned = Omit<DidDocument, 'id'>

/** What one version changed against the one before, as phrases. */
export function changesOf(former: Versioned | undefined, next: Versioned): string[] {
  if (former === undefined) return ['The first version: the DID is made from it.']
  const changes: string[] = []
  const compare = (words: string, read: (document: Versioned) => readonly string[]) => {
    const [before, after] = [new Set(read(former)), new Set(read(next))]
    const added = [...after].filter((each) => !before.has(each))
    const removed = [...before].filter((each) => !after.has(each))
    if (added.length > 0) changes.push(`${words} added: ${added.join(', ')}`)
    if (removed.length > 0) changes.push(`${words} removed: ${removed.join(', ')}`)
  }
  compare('key', (document) => keysOf(document).map(({ id, key }) => `${id} ${key.slice(0, 12)}…`))
  compare('service', (document) => servicesOf(document).map(({ id, endpoint }) => `${id} ${endpoint}`))
  compare('also known as', (document) => document.alsoKnownAs ?? [])
  if (next.deactivated === true && former.deactivated !== true) changes.push('deactivated for good')
  return changes.length === 0 ? ['Other members changed.'] : changes
}

export interface Signed {
  readonly kind: 'kid' | 'manifest'
  readonly value: object
}

/** What a JSON text is for, with the parsed value. */
export function readSigned(text: string): Signed | { error: string } {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    return { error: `This is not JSON: ${(error as Error).message}` }
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { error: 'Expected a JSON object.' }
  if ('authorized_manifest' in value || 'manifest' in value || 'capabilities' in value)
    return { kind: 'manifest', value }
  if ('authorized_kid' in value || 'document' in value || 'verificationMethod' in value) return { kind: 'kid', value }
  return { error: 'This is neither an identity document (verificationMethod) nor a manifest (capabilities).' }
}

type Inner = Partial<Pick<DidDocument, 'id' | 'version' | 'verificationMethod' | 'proof'>> &
  Partial<Pick<ManifestDocument, 'capabilities'>>

/** The document or manifest within its wrappers. */
export function innerOf({ kind, value }: Signed): Inner {
  const within = (outer: object, key: string) => (outer as Readonly<Partial<Record<string, object>>>)[key] ?? outer
  const wrapped = within(value, kind === 'kid' ? 'authorized_kid' : 'authorized_manifest')
  return within(wrapped, kind === 'kid' ? 'document' : 'manifest')
}
