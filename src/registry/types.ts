/** What the use cases (use-cases.ts) take and answer. Times: ISO 8601. */
import type { ServiceError } from '../errors.ts'
import type { Reveal } from '../protocol/claim/reveal.ts'
import type { Service } from '../protocol/identity/document.ts'
import type { Zone } from '../protocol/zone/zone.ts'

export interface ResolvedName {
  reveal: Reveal
  /** The whole check code of its claim. */
  checkCode: string
  /**
   * `thin`: fewer answers than a full quorum; `provisional`: not yet settled; `proven`: the claim has the check code that
   * was asked for, whatever peers say.
   */
  confidence: 'settled' | 'provisional' | 'thin' | 'proven'
  /** `own`, `held`: no peer answered, and this daemon has the record itself. Then it is `thin` or `proven`. */
  source: 'network' | 'own' | 'held'
}

/**
 * What is known of a name, for a copy of the kept answer. Milliseconds from now: fresh, then usable while the copy's
 * owner asks again. 0 where it may not be kept.
 */
export type LookedUp = { readonly freshMs: number; readonly staleMs: number } & (
  | {
      readonly resolved: ResolvedName
      /** This daemon has seen the owner as settled twice, a while apart. */
      readonly isPinFirm: boolean
    }
  /** SVC-RES-002 or SVC-RES-003. */
  | { readonly failure: ServiceError }
)

/** A zone with its serial; the ETag of the HTTP layer is made from it. */
export interface ZoneView {
  zone: Zone
  source: 'local' | ResolvedName['source']
  /** `draft`: saved here, and not what was published last. */
  state: ZoneState
}

export type ZoneState = 'draft' | 'published'

/** A change of some records: first the removals, then the additions. */
export interface ZonePatch {
  readonly remove: readonly ZoneSelector[]
  /** Label to records, as in a zone. A record that is there already takes the ttl given here. */
  readonly add: unknown
}

export interface ZoneSelector {
  readonly label: string
  readonly type?: string | undefined
  readonly value?: string | undefined
}

/** What an owner says of a new identity. */
export interface NewIdentity {
  /** A name of ours that carries it; without one, work does. */
  readonly name?: string
  /** With relative ids: `#files`. */
  readonly services?: readonly Service[]
  readonly alsoKnownAs?: readonly string[]
  /** 0 to 63, of the seed's keys; else the first that no identity here had. */
  readonly index?: number
}

export interface ResolvedIdentity {
  kid_document: Record<string, unknown>
  manifest_document: Record<string, unknown> | null
}

export interface ResolvedIdentityLog {
  readonly did: string
  /** Version 1 first. */
  readonly versions: readonly Record<string, unknown>[]
}
