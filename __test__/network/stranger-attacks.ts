/** What no honest peer sends below the record protocol: bytes inside noise, by the peer that dialled or was dialled. */
import { encodeMessage, registryProtocol } from '../../src/network/wire/messages.ts'
import { lp } from '../../src/protocol/encoding/bytes.ts'
import type { NetworkProfile } from '../../src/protocol/profile/profile.ts'
import { DATA, dataFrame, frame, HELLO, line, opening, PING, SYN, WINDOW } from './raw-peer.ts'

const KIB = 1024
export const zeros = (bytes: number): Uint8Array => new Uint8Array(bytes)
export const repeat = (count: number, bytes: (index: number) => Uint8Array): Buffer =>
  Buffer.concat(Array.from({ length: count }, (_, index) => bytes(index)))

/** A request; where the other side has no answer, what follows is not read. */
const REQUEST = lp(encodeMessage({ type: 'time' }))

export interface Attack {
  readonly what: string
  /** @param stream of the peer: odd where it dialled */
  readonly bytes: (stream: number) => Uint8Array
  /** Fewer bytes than these are taken; beyond them another guard would end the connection. The system's sockets hold some. */
  readonly most?: number
}

const MIB = 1024 * KIB

export function attacksOn(profile: NetworkProfile): readonly Attack[] {
  const REGISTRY = registryProtocol(profile)
  return [
    {
      what: 'a frame that claims 4 GiB',
      most: MIB,
      bytes: (stream) =>
        Buffer.concat([opening(stream, REGISTRY), frame(DATA, 0, stream, 2 ** 32 - 1, zeros(64 * KIB))])
    },
    {
      what: 'a frame of 4 GiB for a stream that nobody opened',
      most: MIB,
      bytes: (stream) => frame(DATA, 0, stream + 100, 2 ** 32 - 1, zeros(64 * KIB))
    },
    { what: 'a frame of data for the connection itself', bytes: () => frame(DATA, 0, 0, 64 * KIB, zeros(KIB)) },
    {
      what: 'a frame that exceeds its window by a byte',
      most: MIB,
      bytes: (stream) =>
        Buffer.concat([opening(stream, REGISTRY), frame(DATA, 0, stream, 256 * KIB + 1, zeros(256 * KIB))])
    },
    {
      what: 'a list of protocols asked for on a stream',
      bytes: (stream) => dataFrame(stream, Buffer.concat([HELLO, line('ls')]), SYN)
    },
    {
      what: 'a thousand protocols that nobody has',
      bytes: (stream) => dataFrame(stream, Buffer.concat([HELLO, repeat(1_000, () => line('/nothing'))]), SYN)
    },
    {
      what: 'hello a thousand times',
      bytes: (stream) =>
        dataFrame(
          stream,
          repeat(1_000, () => HELLO),
          SYN
        )
    },
    {
      what: 'thousands of streams',
      bytes: (stream) => repeat(2_000, (index) => frame(WINDOW, SYN, stream + 2 * index, 0))
    },
    {
      what: 'thousands of window updates',
      bytes: (stream) => Buffer.concat([opening(stream, REGISTRY), repeat(4_000, () => frame(WINDOW, 0, stream, 1))])
    },
    {
      what: 'a hundred pings of yamux',
      most: 20 * KIB,
      bytes: () => repeat(100, (index) => frame(PING, SYN, 0, index))
    },
    {
      what: 'identify that does not end',
      bytes: (stream) => opening(stream, '/ipfs/id/push/1.0.0', zeros(16 * KIB))
    },
    {
      what: 'data for identify, which reads none',
      bytes: (stream) => Buffer.concat([opening(stream, '/ipfs/id/1.0.0'), dataFrame(stream, zeros(16 * KIB))])
    },
    {
      what: 'a ping that is echoed without end',
      bytes: (stream) => opening(stream, '/ipfs/ping/1.0.0', zeros(16 * KIB))
    },
    {
      what: 'dozens of streams of identify push',
      most: 13 * KIB,
      bytes: (stream) => repeat(30, (index) => opening(stream + 2 * index, '/ipfs/id/push/1.0.0', zeros(1)))
    },
    {
      what: 'unread bytes of many streams',
      bytes: (stream) =>
        repeat(6, (index) =>
          Buffer.concat([
            opening(stream + 2 * index, REGISTRY, REQUEST),
            // Never read: the answer to the request comes first.
            dataFrame(stream + 2 * index, zeros(200 * KIB))
          ])
        )
    }
  ]
}
