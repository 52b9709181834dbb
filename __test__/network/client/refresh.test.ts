/** Which of those who should hold a record of ours are sent it again, against modelled peers. */
import { describe, expect, it } from 'vitest'
import { refresh } from '../../../src/network/client/own-records.ts'
import type { GetAnswer } from '../../../src/network/wire/records.ts'
import { encodeMessage, type Answer, type Request } from '../../../src/network/wire/messages.ts'
import { OfflineError } from '../../../src/network/types.ts'
import { sha256, utf8 } from '../../../src/protocol/encoding/bytes.ts'
import { Lab } from '../lab.ts'
import { clientOf, modelledPeer, modelledPeers, type Lost } from '../modelled-peers.ts'

const lab = new Lab()
const RECORD = utf8('r'.repeat(1_200))
const CLAIM = sha256(utf8('claim'))
const HELD: GetAnswer = { type: 'entry', state: 'settled', claim: CLAIM, digest: sha256(RECORD) }
const OTHER: GetAnswer = { ...HELD, digest: sha256(utf8('another')) }
const STUB: GetAnswer = { type: 'entry', state: 'settled', claim: CLAIM }

interface Outcome {
  /** Peers that were sent the record, by index. */
  readonly sent: number[]
  /** Of all requests and answers. */
  readonly bytes: number
}

/** `answers` to the question, in the order of the peers; the first half is found by the key, the others around it. */
async function refreshed(
  answers: readonly (GetAnswer | Lost)[],
  { signal, known = answers.length }: { signal?: AbortSignal; known?: number } = {}
): Promise<Outcome> {
  const all = answers.map((answer, index) => ({ ...modelledPeer(index), index, answer }))
  const sent: number[] = []
  let bytes = 0
  const count = (message: Request | Answer): void => {
    bytes += encodeMessage(message).length
  }
  const peers = modelledPeers(
    () => all,
    (peer, request) => {
      count(request)
      if (request.type === 'put') sent.push(peer.index)
      else expect(request).toMatchObject({ type: 'get', brief: true })
      const answer: Answer | Lost = request.type === 'put' ? { type: 'stored' } : peer.answer
      if (answer !== 'lost') count(answer)
      return answer
    },
    { known: () => known, closest: () => Promise.resolve(all.slice(0, Math.ceil(all.length / 2))) }
  )
  await refresh(clientOf(lab, peers), { kind: 'reveal', id: 'mine.chronym', bytes: RECORD }, signal)
  return { sent: sent.sort((left, right) => left - right), bytes }
}

describe('a record that is published again', () => {
  it('is sent to nobody who holds it: 20 holders cost less than five kilobytes', async () => {
    const { sent, bytes } = await refreshed(Array<GetAnswer>(20).fill(HELD))
    expect(sent).toEqual([])
    expect(bytes).toBeLessThan(5_000)
  })

  it('is sent to holders of another, only the stub, or nothing, and not to silent ones', async () => {
    expect((await refreshed([HELD, OTHER, { type: 'none' }, 'lost', STUB, HELD])).sent).toEqual([1, 2, 4])
  })

  it('of a document is recognised by its digest as well', async () => {
    expect(
      (
        await refreshed([
          { type: 'digest', digest: sha256(RECORD) },
          { type: 'digest', digest: CLAIM }
        ])
      ).sent
    ).toEqual([1])
  })

  it('is sent to nobody once its signal is aborted', async () => {
    await expect(refreshed([OTHER], { signal: AbortSignal.abort(new Error('withdrawn')) })).rejects.toThrow('withdrawn')
  })

  it('waits for peers where there are none', async () => {
    await expect(refreshed([], { known: 0 })).rejects.toThrow(OfflineError)
  })
})
