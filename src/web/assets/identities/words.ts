/** Identity documents and manifests in words. Pure. */

const PURPOSES = {
  authentication: 'logs in',
  assertionMethod: 'makes statements',
  keyAgreement: 'is encrypted to',
  capabilityInvocation: 'uses rights',
  capabilityDelegation: 'passes rights on'
}

const idOf = (entry) => (typeof entry === 'string' ? entry : entry.id)
/** `did:x:y#key-1` -> `#key-1`. */
export const fragmentOf = (id) => (id.includes('#') ? id.slice(id.indexOf('#')) : id)

/** `[{id, type, key, purposes}]` of a DID document. */
export function keysOf(document) {
  return (document.verificationMethod ?? []).map((method) => ({
    id: fragmentOf(method.id),
    type: method.type,
    key: method.publicKeyMultibase ?? JSON.stringify(method.publicKeyJwk ?? null),
    purposes: Object.entries(PURPOSES)
      .filter(([purpose]) => (document[purpose] ?? []).some((entry) => idOf(entry) === method.id))
      .map(([, words]) => words)
  }))
}

/** `[{id, type, endpoint}]`. */
export const servicesOf = (document) =>
  (document.service ?? []).map(({ id, type, serviceEndpoint }) => ({
    id: fragmentOf(id),
    type: Array.isArray(type) ? type.join(', ') : type,
    endpoint: typeof serviceEndpoint === 'string' ? serviceEndpoint : JSON.stringify(serviceEndpoint)
  }))

/** What one version changed against the one before, as phrases. */
export function changesOf(former, next) {
  if (former === undefined) return ['The first version: the DID is made from it.']
  const changes = []
  const compare = (words, read) => {
    const [before, after] = [read(former), read(next)].map((list) => new Set(list))
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

/** 'kid', 'manifest' or undefined: what a JSON text is for, with the parsed value; `{error}` for what is no JSON. */
export function readSigned(text) {
  let value
  try {
    value = JSON.parse(text)
  } catch (error) {
    return { error: `This is no JSON: ${error.message}` }
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { error: 'Expected a JSON object.' }
  if ('authorized_manifest' in value || 'manifest' in value || 'capabilities' in value)
    return { kind: 'manifest', value }
  if ('authorized_kid' in value || 'document' in value || 'verificationMethod' in value) return { kind: 'kid', value }
  return { error: 'This is neither an identity document (verificationMethod) nor a manifest (capabilities).' }
}

/** The document or manifest within its wrappers. */
export function innerOf({ kind, value }) {
  const wrapped = value[kind === 'kid' ? 'authorized_kid' : 'authorized_manifest'] ?? value
  return wrapped[kind === 'kid' ? 'document' : 'manifest'] ?? wrapped
}
