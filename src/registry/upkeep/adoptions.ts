/**
 * Names and identities that the user calls this daemon's own and that it lacks. It looks for them in the network, and
 * takes up what belongs to its seed.
 */
import { doubled } from '../../util/backoff.ts'
import { toHex } from '../../protocol/encoding/bytes.ts'
import { parseDid, type Did } from '../../protocol/identity/did.ts'
import { nameListKey } from '../../protocol/crypto/keys.ts'
import type { Name } from '../../protocol/name/names.ts'
import { openNameList } from '../../protocol/zone/name-list.ts'
import { sealedPart } from '../../protocol/zone/zone.ts'
import { compareRecords } from '../../protocol/claim/claim.ts'
import { OfflineError } from '../../network/types.ts'
import { keys, prefixes } from '../../store/keys.ts'
import { ServiceError } from '../../errors.ts'
import { codedNameOf, isOwnClaim, type RegistryContext, leaseOf } from '../context.ts'
import { readDid } from '../identities/resolve.ts'
import { adoptIdentity } from '../identities/own.ts'
import { claimsIn } from '../resolution/survey.ts'
import { decodeAdoption, encodeAdoption, isGivenAway, storedAdoptions, type Adoption } from '../stored/owned-names.ts'
import type { RegistryEvent } from '../use-cases.ts'
import type { WantedView } from '../../views/own.ts'
import { RepeatedLook } from '../../time/repeated-look.ts'

const SECOND_MS = 1000
const TICK_MS = 5 * SECOND_MS
/** The first wait; each further one is twice as long. */
const FIRST_WAIT_MS = 10 * SECOND_MS
const LONGEST_WAIT_MS = 3600 * SECOND_MS
/** Looks for an identity that may never have been made: about five minutes. */
const GUESS_LOOKS = 6
export const MAX_ADOPTIONS = 256

interface Look {
  readonly atMs: number
  readonly looks: number
  readonly state: WantedView['state']
  readonly detail: string
}

const NOT_YET: Omit<Look, 'atMs'> = { looks: 0, state: 'looking', detail: 'The network has not been asked yet.' }

/** Looks for what is to be adopted until it is found, less and less often. */
export class Adoptions {
  readonly #context: RegistryContext
  readonly #emit: (event: RegistryEvent) => void
  /** The result of each one's last look in this run. */
  readonly #looks = new Map<string, Look>()
  readonly #ticks = new RepeatedLook((signal) => this.#lookAtAll(signal))

  constructor(context: RegistryContext, emit: (event: RegistryEvent) => void) {
    this.#context = context
    this.#emit = emit
  }

  start(): void {
    this.#ticks.start(this.#context.clock, TICK_MS)
  }

  stop(): Promise<void> {
    return this.#ticks.stop()
  }

  /** Throws StoreError. */
  list(): WantedView[] {
    return [...storedAdoptions(this.#context.store)]
      .filter(([, { isGuess }]) => !isGuess)
      .map(([id, adoption]) => this.#view(id, adoption))
  }

  /** Remembers a name or DID and looks for it at once. SVC-NAM-001/002, SVC-REQ-001, SVC-WNT-001, SVC-STO-001. */
  async adopt(text: string): Promise<WantedView> {
    const { store, clock, profile } = this.#context
    // Whose claim it is, the seed tells: a check code of a link adds nothing.
    const id = text.startsWith('did:') ? readDid(this.#context, text, 'id') : codedNameOf(profile, text, 'id').name
    if (!this.#isHeld(id)) this.#context.seed.require()
    const known = store.get(keys.wanted(id))
    const before = known === undefined ? { sinceMs: clock.now() } : decodeAdoption(known)
    const adoption = { ...before, isGuess: false }
    if (this.#isHeld(id)) return { ...this.#view(id, adoption), state: 'adopted', detail: 'This daemon has it.' }
    if (known === undefined && store.count(prefixes.wanted) >= MAX_ADOPTIONS) {
      throw new ServiceError('SVC-WNT-001', `This daemon looks for ${MAX_ADOPTIONS} names already.`)
    }
    store.put(keys.wanted(id), encodeAdoption(adoption))
    await this.#look(id, adoption)
    return this.#view(id, adoption)
  }

  /** False where it was not looked for. Throws StoreError. */
  forget(id: string): boolean {
    const key = keys.wanted(id)
    const isThere = this.#context.store.get(key) !== undefined
    if (isThere) this.#context.store.delete(key)
    this.#looks.delete(id)
    return isThere
  }

  /** Never rejects. */
  async #lookAtAll(signal: AbortSignal): Promise<void> {
    // Only the seed can tell whether a claim is ours.
    if (this.#context.seed.isLocked) return
    try {
      for (const [id, adoption] of [...storedAdoptions(this.#context.store)]) {
        if (signal.aborted) return
        if (this.#isDue(id)) await this.#look(id, adoption)
      }
    } catch (error) {
      this.#context.log.warn(
        { err: error },
        'the names that this daemon looks for could not be read; the next look tries again'
      )
    }
  }

  #isDue(id: string): boolean {
    const last = this.#looks.get(id)
    if (last === undefined) return true
    const passedMs = this.#context.clock.now() - last.atMs
    // A clock that was set back must not extend the wait.
    return passedMs < 0 || passedMs >= doubled(FIRST_WAIT_MS, LONGEST_WAIT_MS, Math.max(0, last.looks - 1))
  }

  /** Rejects with StoreError only. */
  async #look(id: string, { isGuess, isOffered }: Adoption): Promise<void> {
    const { store, clock, log } = this.#context
    const before = this.#looks.get(id) ?? NOT_YET
    let found: Pick<Look, 'state' | 'detail'>
    let isAnswered = true
    try {
      found = this.#isHeld(id)
        ? this.#readListOf(id)
        : id.startsWith('did:')
          ? await this.#lookForIdentity(parseDid(id, this.#context.profile))
          : await this.#lookForName(id as Name, isOffered)
    } catch (error) {
      isAnswered = false
      found = {
        state: 'looking',
        detail: error instanceof OfflineError ? 'No peer can be asked yet.' : (error as Error).message
      }
    }
    // Without an answer the wait is as short as after the first look.
    const looks = isAnswered ? before.looks + 1 : Math.min(before.looks, 1)
    this.#looks.set(id, { ...found, looks, atMs: clock.now() })
    if (found.state !== before.state) log.info({ wanted: id, state: found.state }, found.detail)
    const isOver = found.state === 'adopted' || (isGuess && (found.state === 'other-owner' || looks >= GUESS_LOOKS))
    if (isOver) store.delete(keys.wanted(id))
  }

  /** By the blinded look-up of a registration: peers do not learn of a name that is still free. */
  async #lookForName(name: Name, isOffered = false): Promise<Pick<Look, 'state' | 'detail'>> {
    const { network, owned, memory } = this.#context
    const { proved } = claimsIn(await network.probe(name))
    const alive = proved
      .filter(({ claim }) => leaseOf(this.#context, claim.newestRound).state !== 'dead')
      .sort((left, right) => compareRecords(right.claim, left.claim))
    const own = alive.find(({ claim }) => isOwnClaim(this.#context, claim))
    if (own !== undefined) {
      memory.see(own.claim)
      owned.save(own.reveal, { published: true })
      network.withdrawReveal(name, own.reveal)
      adoptListed(this.#context, name, own.reveal.payload)
      this.#emit({ type: 'name:held', detail: { name } })
      return { state: 'adopted', detail: `The network holds ${name} under a key of this seed: it is taken up.` }
    }
    const other = alive[0]
    if (other !== undefined && isOffered)
      return {
        state: 'offered',
        detail:
          `This daemon has offered to take ${name} over. Peers show no acceptance of its owner yet ` +
          `(${toHex(other.claim.pubkey)}). It is looked for again.`
      }
    if (other !== undefined)
      return {
        state: 'other-owner',
        detail:
          `${name} belongs to another key (${toHex(other.claim.pubkey)}), ` +
          'not to this seed. Check the words and the network.'
      }
    return {
      state: 'not-found',
      detail:
        `No peer that answered shows ${name}: check its spelling; its ` +
        'lease may have ended. It is looked for again.'
    }
  }

  async #lookForIdentity(did: Did): Promise<Pick<Look, 'state' | 'detail'>> {
    switch (await adoptIdentity(this.#context, did)) {
      case 'adopted':
        return { state: 'adopted', detail: `The network holds ${did} under keys of this seed: it is taken up.` }
      case 'other-owner':
        return { state: 'other-owner', detail: `${did} has keys of another seed.` }
      case 'not-found':
        return { state: 'not-found', detail: `No peer that answered shows ${did}. It is looked for again.` }
    }
  }

  /** The list of a name that is here: another daemon with this seed may have listed more. */
  #readListOf(id: string): Pick<Look, 'state' | 'detail'> {
    const record = this.#context.owned.get(id)
    if (record !== undefined) adoptListed(this.#context, record.name, record.reveal.payload)
    return { state: 'adopted', detail: 'This daemon has it.' }
  }

  #isHeld(id: string): boolean {
    return id.startsWith('did:')
      ? this.#context.store.get(keys.ownIdentity(id)) !== undefined
      : !isGivenAway(this.#context.owned.get(id) ?? { ownership: 'sold' })
  }

  #view(id: string, { sinceMs }: Adoption): WantedView {
    const { state, detail, atMs } = { atMs: undefined, ...NOT_YET, ...this.#looks.get(id) }
    return {
      id,
      state,
      detail,
      since: new Date(sinceMs).toISOString(),
      looked_at: atMs === undefined ? null : new Date(atMs).toISOString()
    }
  }
}

/**
 * Looks for all that the list in a record of ours names and this daemon lacks. A list that does not open is ignored.
 * Not bound by MAX_ADOPTIONS: only the seed can seal a list, which ends at 8 KiB. Throws SVC-KEY-006 and StoreError.
 */
function adoptListed(context: RegistryContext, name: Name, payload: Uint8Array): void {
  const { store, clock, log, owned, profile } = context
  const sealed = sealedPart(payload, profile)
  if (sealed === undefined) return
  const key = nameListKey(context.seed.require(), context.profileHash, name)
  const ids = openNameList(key, sealed, profile)
  key.fill(0)
  if (ids === undefined) {
    log.warn({ name }, 'the list of names that this name carries does not open with this seed: it is ignored')
    return
  }
  const known = new Map(storedAdoptions(store))
  const lacking = ids.filter(
    (id) =>
      owned.get(id) === undefined && store.get(keys.ownIdentity(id)) === undefined && known.get(id)?.isGuess !== false
  )
  for (const id of lacking) store.put(keys.wanted(id), encodeAdoption({ sinceMs: clock.now(), isGuess: false }))
  log.info({ name, listed: ids.length, wanted: lacking.length }, 'read the list of names that this name carries')
}
