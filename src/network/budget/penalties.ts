/** Bans peers for a while that sent what cannot be valid. */
import type { PeerId } from '@libp2p/interface'
import { BoundedMap } from '../../util/bounded-map.ts'

/** Offences within one memory span after which a peer is banned: a broken peer may err, a hostile one continues. */
const OFFENCES_TO_BAN = 5
const MEMORY_MS = 10 * 60_000
const BAN_MS = 10 * 60_000

/** Peers remembered. The oldest are dropped first, so that new ids cannot fill memory. */
const MAX_REMEMBERED = 10_000

interface Record {
  offences: number
  firstMs: number
  bannedUntilMs: number
}

interface Penalties {
  /** True when this offence bans the peer: the caller closes its connections. */
  add(peer: PeerId): boolean
  isBanned(peer: PeerId): boolean
}

export function createPenalties(nowMs: () => number): Penalties {
  const records = new BoundedMap<string, Record>(MAX_REMEMBERED)
  return {
    add(peer) {
      const id = peer.toString()
      const now = nowMs()
      let record = records.get(id)
      if (record === undefined || now - record.firstMs > MEMORY_MS) {
        record = { offences: 0, firstMs: now, bannedUntilMs: 0 }
        records.set(id, record)
      }
      record.offences++
      if (record.offences < OFFENCES_TO_BAN) return false
      record.bannedUntilMs = now + BAN_MS
      return true
    },
    isBanned(peer) {
      const leftMs = (records.get(peer.toString())?.bannedUntilMs ?? 0) - nowMs()
      // More is left only where the clock was set back.
      return leftMs > 0 && leftMs <= BAN_MS
    }
  }
}
