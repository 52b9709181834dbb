/** Verifications at once: costly, so they are counted before they begin, and strangers cannot take the places of those who are waited for. */

/** Verifications at once; the pool has its own queue, this bounds what waits in it. */
const MAX_VERIFICATIONS = 20

/** Places for claims of which we know nothing: 20% (protocol.md, "Storing and moving records"). */
const MAX_UNEXPECTED = 4

/** Unexpected ones of a single peer. */
const MAX_UNEXPECTED_PER_PEER = 2

export interface VerificationBudget {
  /**
   * Takes a place; undefined when there is none.
   *
   * @param expected the claim's C is held here, or its key owns the entry
   * @returns gives the place back
   */
  take(peer: string, expected: boolean): (() => void) | undefined
}

export function createVerificationBudget(): VerificationBudget {
  let running = 0
  let unexpected = 0
  const perPeer = new Map<string, number>()
  return {
    take(peer, expected) {
      const ofPeer = perPeer.get(peer) ?? 0
      if (running >= MAX_VERIFICATIONS) return undefined
      if (!expected && (unexpected >= MAX_UNEXPECTED || ofPeer >= MAX_UNEXPECTED_PER_PEER)) return undefined
      running++
      if (!expected) {
        unexpected++
        perPeer.set(peer, ofPeer + 1)
      }
      return () => {
        running--
        if (expected) return
        unexpected--
        const left = perPeer.get(peer)! - 1
        if (left === 0) perPeer.delete(peer)
        else perPeer.set(peer, left)
      }
    }
  }
}
