/** Strangers that have a node look up keys, as frames on real connections. The budget's clock is the test's own. */
import type { Stream } from '@libp2p/interface'
import { multiaddr } from '@multiformats/multiaddr'
import { afterEach, expect, it } from 'vitest'
import { FIND_MS } from '../../../src/network/budget/budget.ts'
import type { Node } from '../../../src/network/libp2p.ts'
import { readFrame } from '../../../src/network/wire/frame.ts'
import { decodeAnswer, encodeMessage, registryProtocol, type Request } from '../../../src/network/wire/messages.ts'
import { lp, sha256, u64be, utf8 } from '../../../src/protocol/encoding/bytes.ts'
import { startBareNode } from '../../network/bare-node.ts'
import { Lab, labProfile, type LabNode } from '../../network/lab.ts'
import { waitFor } from '../../wait-for.ts'

/** As many as one peer may have waiting. */
const AT_ONCE = 24

/** Milliseconds of the event loop in a second, for all look-ups together. */
const SHARE_MS = 200

const lab = new Lab(labProfile({ answers_per_prefix: 2, answers_per_wide_prefix: 4 }))
const strangers: Node[] = []

afterEach(async () => {
  for (const stranger of strangers.splice(0)) await stranger.stop()
  await lab.close()
})

async function strangerAt(place: string, index = 0): Promise<Node> {
  const stranger = await startBareNode(sha256(utf8(place), u64be(index)), lab.profile, place)
  strangers.push(stranger)
  return stranger
}

async function openStream(stranger: Node, victim: LabNode): Promise<Stream> {
  return stranger.dialProtocol(multiaddr(victim.address), registryProtocol(lab.profile))
}

/** Sends the frame of one request, and gives what kind of answer came back. */
async function send(stream: Stream, request: Request): Promise<string> {
  stream.send(lp(encodeMessage(request)))
  return decodeAnswer(request, await readFrame(stream)).type
}

it('[look-ups that take the event loop] by eight ids of four /24 get a fifth of it; an honest peer asks beside them, and looks up in its turn', async () => {
  let elapsedMs = 0
  lab.elapsedMs = () => elapsedMs
  const victim = await lab.addNode({ place: '127.65.0.1' })
  const honest = await strangerAt('127.67.0.1')
  const flooders = await Promise.all(
    Array.from({ length: 8 }, (_, index) => strangerAt(`127.66.${index % 4}.1`, index))
  )

  const answers: string[] = []
  const counted = (kind: string): number => answers.filter((answer) => answer === kind).length
  let keys = 0
  /** Each id sends that many; nobody waits for the answers. */
  const flood = async (each: number): Promise<void> => {
    for (const flooder of flooders) {
      const streams = await Promise.all(Array.from({ length: each }, () => openStream(flooder, victim)))
      for (const stream of streams)
        void send(stream, { type: 'find', key: sha256(u64be(keys++)) })
          .catch(() => 'cut off')
          .then(async (answer) => {
            await stream.close()
            answers.push(answer)
          })
    }
  }

  const isQuiet = (): void => expect(answers.length).toBe(keys)
  while (keys * FIND_MS < SHARE_MS) {
    await flood(1)
    await waitFor(isQuiet, 5)
  }
  expect(counted('found') * FIND_MS, 'a second of the share at once').toBe(SHARE_MS)
  const over = keys
  await flood(AT_ONCE)
  await waitFor(() => expect(answers.length).toBeGreaterThanOrEqual(keys - 64), 5)
  expect(counted('busy'), 'of 192 there are places for 64 to wait').toBe(keys - over - 64)

  const get = await openStream(honest, victim)
  expect(await send(get, { type: 'get', kind: 'reveal', key: sha256() }), 'while look-ups wait').toBe('none')
  const lookUp = send(await openStream(honest, victim), { type: 'find', key: sha256() })
  await waitFor(() => expect(counted('busy'), 'the honest look-up has a place').toBe(keys - over - 63), 5)
  elapsedMs += (5 * FIND_MS * 1_000) / SHARE_MS
  expect(await lookUp, 'after one of each /24 at most').toBe('found')
  await waitFor(() => expect(counted('found') * FIND_MS).toBe(SHARE_MS + 4 * FIND_MS), 5)

  elapsedMs += 1_000
  await flood(AT_ONCE)
  await waitFor(isQuiet, 5)
  expect((counted('found') + 1) * FIND_MS).toBeLessThanOrEqual(SHARE_MS + (elapsedMs * SHARE_MS) / 1_000)
})
