/** Watches the identity logs of honest holders: P6. */
import { recordKey } from '../../../../src/protocol/neighbourhood/key-space.ts'
import { toHex } from '../../../../src/protocol/encoding/bytes.ts'
import type { IdentityLogOutline } from '../../../../src/protocol/identity/log.ts'
import { decodeIdentityRecord } from '../../../../src/protocol/identity/record.ts'
import type { SimNode, Watcher } from '../../world/sim-node.ts'
import { DAY_MS, type World } from '../../world/world.ts'
import { BOUNDS, Invariants } from './violation.ts'

/** Versions in order: their hashes in hex, and those that a recovery key signed. */
interface Log {
  readonly hashes: readonly string[]
  readonly recoveries: readonly boolean[]
}

export class IdentityInvariants extends Invariants implements Watcher {
  readonly #dids = new Set<string>()
  /** By record: verifying one takes milliseconds. */
  readonly #logs = new Map<string, Log>()
  /** Since when a holder has a log that another one's supersedes. */
  readonly #since = new Map<string, number>()

  constructor(world: World) {
    super(world)
    world.watchers.push(this)
  }

  documented(_node: SimNode, kind: 'kid' | 'manifest', did: string): void {
    if (kind === 'kid') this.#dids.add(did)
  }

  /** To be called about once an hour. */
  look(): void {
    const now = this.world.timeline.nowMs
    for (const did of this.#dids) {
      const key = recordKey('kid', did, this.world.hash)
      const logs = this.world.holdersOf(key).flatMap(({ holder }) => holder?.documents.get('kid', key) ?? [])
      const all = logs.map((record) => this.#logOf(record))
      if (!all.some((log) => all.some((other) => supersedes(other, log)))) {
        this.#since.delete(did)
        continue
      }
      const since = this.#since.get(did) ?? now
      this.#since.set(did, since)
      if (now - since <= BOUNDS.olderLog * DAY_MS) continue
      this.found('P6', `honest holders of ${did} have not come to one log`)
      this.#since.set(did, Infinity)
    }
  }

  #logOf(record: Uint8Array): Log {
    const id = toHex(record)
    const known = this.#logs.get(id)
    if (known !== undefined) return known
    const { versions }: IdentityLogOutline = decodeIdentityRecord(record, this.world.profile).log
    const log = {
      hashes: versions.map(({ hash }) => toHex(hash)),
      recoveries: versions.map(({ signer }) => signer === 'recovery')
    }
    this.#logs.set(id, log)
    return log
  }
}

/** Whether all that know both must have the one: it is longer, or it alone has a recovery where the two part. */
export function supersedes(one: Log, other: Log): boolean {
  const fork = other.hashes.findIndex((hash, index) => hash !== one.hashes[index])
  if (fork === -1) return one.hashes.length > other.hashes.length
  if (fork === one.hashes.length) return false
  return one.recoveries.slice(fork).includes(true) && !other.recoveries.slice(fork).includes(true)
}
