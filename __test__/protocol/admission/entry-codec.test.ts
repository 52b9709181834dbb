import { describe, expect, it } from 'vitest'
import { equalBytes } from '../../../src/protocol/encoding/bytes.ts'
import { decodeEntry, encodeEntry, newEntry, withContender } from '../../../src/protocol/admission/entry.ts'
import { bareClaim, timeAt } from '../fixtures.ts'

const ALICE = bareClaim({ owner: 'alice', firstRound: 1000 })
const BOB_LATER = bareClaim({ owner: 'bob', firstRound: 1001 })

describe('an entry in the store', () => {
  it('is read back as it was written', () => {
    const entry = newEntry(ALICE, 'provisional', timeAt(1000))
    for (const each of [
      entry,
      { ...entry, repairs: 2 },
      { ...entry, arrival: 7 },
      {
        ...entry,
        rivals: [BOB_LATER.id],
        equivocation: { round: 1, serial: 2, payloadHashes: [ALICE.id, BOB_LATER.id] as const }
      },
      withContender({ ...entry, state: 'settling' }, BOB_LATER)
    ]) {
      expect(decodeEntry(encodeEntry(each))).toEqual(each)
    }
    expect(equalBytes(encodeEntry(entry), encodeEntry({ ...entry }))).toBe(true)
    expect(() => decodeEntry(new Uint8Array(3))).toThrow()
  })
})
