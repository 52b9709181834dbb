/** Peers that answer as a test says, without nodes behind them. */
import { publicKeyFromRaw } from '@libp2p/crypto/keys'
import { peerIdFromPublicKey } from '@libp2p/peer-id'
import type { ClientParts } from '../../src/network/client/holders.ts'
import type { Peer, Peers } from '../../src/network/peers.ts'
import { AskError } from '../../src/network/wire/exchange.ts'
import type { Answer, Request } from '../../src/network/wire/messages.ts'
import { createVerifier } from '../../src/network/holder/verifier.ts'
import { keyPairFromSeed, type KeyPair } from '../../src/protocol/crypto/ed25519.ts'
import { timeAt } from '../protocol/fixtures.ts'
import type { Lab } from './lab.ts'

/** What a modelled peer signs with. */
export function modelledKey(index: number): KeyPair {
  return keyPairFromSeed(new Uint8Array(32).fill(index + 1))
}

/** One of up to 255, each of a key and a prefix of its own. */
export function modelledPeer(index: number): Peer {
  const id = peerIdFromPublicKey(publicKeyFromRaw(modelledKey(index).publicKey))
  return { id, peer: id.toString(), prefix: String(index) }
}

/** Gives no answer: the question fails as one to a peer that is gone. */
export type Lost = 'lost'

/** `all` are found by every look-up and, with this node, make up the whole network, unless overridden. */
export function modelledPeers<P extends Peer>(
  all: () => readonly P[],
  answer: (peer: P, request: Request) => Answer | Lost | Promise<Answer | Lost>,
  overrides: Partial<Peers> = {}
): Peers {
  const everybody = (): Peer[] => [...all()]
  return {
    ownPosition: new Uint8Array(32),
    known: () => all().length,
    knowsAny: () => all().length > 0,
    origins: everybody,
    networkSize: () => all().length + 1,
    isNear: () => true,
    nearest: everybody,
    within: everybody,
    closest: () => Promise.resolve(everybody()),
    neighbourhood: () => Promise.resolve({ peers: everybody(), bits: 0 }),
    ask: async (peer, request) => {
      const answered = await answer(peer as P, request)
      if (answered === 'lost') throw new AskError('lost')
      return answered
    },
    waitMs: () => 300,
    diverse: (list) => [...list],
    diverseFirst: (list, count) => list.slice(0, count),
    met: () => 0,
    penalise: () => undefined,
    ...overrides
  }
}

/** Bits of a blinded prefix that the lone peer is found under. */
export const LONE_PEER_BITS = 3

/** One peer of three hundred that answers as told; everything that is sent to it is kept. A look-up of K fails. */
export function lonePeer(
  lab: Lab,
  answer: (request: Request) => Answer
): { parts: ClientParts; sent: Request[]; penalised: string[] } {
  const peer = modelledPeer(0)
  const sent: Request[] = []
  const penalised: string[] = []
  const peers = modelledPeers(
    () => [peer],
    (_peer, request) => {
      sent.push(request)
      return answer(request)
    },
    {
      networkSize: () => 300,
      closest: () => Promise.reject(new Error('a look-up of K shows it')),
      neighbourhood: () => Promise.resolve({ peers: [peer], bits: LONE_PEER_BITS }),
      penalise: (_peer, reason) => penalised.push(reason)
    }
  )
  return { parts: clientOf(lab, peers), sent, penalised }
}

/** A client of those peers that holds nothing itself. */
export function clientOf(lab: Lab, peers: Peers): ClientParts {
  return {
    profile: lab.profile,
    verifier: createVerifier(lab.profile, lab.beacon, lab.pool),
    judge: lab.pool,
    clock: { time: () => timeAt(lab.round) },
    peers: () => peers,
    holder: () => undefined,
    ownPeerId: 'self'
  }
}

/** How long look-ups wait for unknown peers. */
export const UNTIMED = { waitMs: (): number => 500, roundTripMs: (): number => 0 }
