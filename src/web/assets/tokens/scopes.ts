import type { TokenScope } from '../lib/api.ts'

/** What each scope of a token allows, as docs/api.md has it. */
export const SCOPES: Readonly<Record<TokenScope, string>> = {
  read: 'sees everything, and changes nothing: names, tasks, settings, metrics',
  vdf: 'starts, pauses and cancels work; releases names',
  publish: 'publishes zones, identities and manifests',
  admin: 'may do everything, also settings, pins and tokens'
}

/** What a new token is for, with its scopes: most need one of these. */
interface Use {
  readonly id: string
  readonly text: string
  readonly scopes: readonly TokenScope[]
}

export const USES: readonly Use[] = [
  { id: 'monitor', text: 'Watch it, for example with Prometheus', scopes: ['read'] },
  { id: 'zones', text: 'Update zones, for example from a script', scopes: ['read', 'publish'] },
  { id: 'names', text: 'Register and renew names', scopes: ['read', 'vdf', 'publish'] },
  { id: 'all', text: 'Everything, like the main token', scopes: ['admin'] }
]

/** The use that has just these scopes. */
export const useOf = (scopes: readonly TokenScope[]): string | undefined =>
  USES.find((use) => use.scopes.length === scopes.length && use.scopes.every((scope) => scopes.includes(scope)))?.id
