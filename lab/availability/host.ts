/** A process that runs some of the nodes and answers the measuring process. */
import { equalBytes, sha256, utf8 } from '../../src/protocol/encoding/bytes.ts'
import { rulePin } from '../../src/protocol/resolution/pin.ts'
import { tally } from '../../src/protocol/resolution/quorum.ts'
import { claimRound } from '../../src/protocol/claim/commitment.ts'
import type { NetworkProfile } from '../../src/protocol/profile/profile.ts'
import { clockRound } from '../../src/protocol/time.ts'
import type { RevealLookup } from '../../src/network/types.ts'
import { draft, reveal, type Draft } from '../../bench/network/claims.ts'
import { startNode, type BenchNode } from '../../bench/network/node.ts'
import type { Answer, CallName, Calls, Question, Resolved } from './calls.ts'
import { createModel, modelledProof, modelledPulse } from './model.ts'

type Handlers = {
  readonly [C in CallName]: (argument: Calls[C]['argument']) => Calls[C]['result'] | Promise<Calls[C]['result']>
}

/** What the nodes of one process share. */
function createHost(profile: NetworkProfile, seed: string): Omit<Handlers, 'begin'> {
  const model = createModel(profile)
  const nodes = new Map<number, BenchNode>()
  const drafts = new Map<string, Draft>()
  const now = (): number => clockRound(model.clock(), profile.beacon)
  const draftOf = (name: string): Draft => {
    const known = drafts.get(name) ?? draft(name, seed, profile)
    drafts.set(name, known)
    return known
  }
  const networkOf = (node: number): BenchNode['network'] => {
    const { network } = nodes.get(node)!
    return network
  }

  return {
    async start({ node, place, bootstrap, mode }) {
      const started = await startNode({
        ...model,
        seed: `${seed} ${node}`,
        profile,
        place,
        bootstrap,
        mode,
        random: chance(`${seed} ${node}`)
      })
      nodes.set(node, started)
      return { address: started.address }
    },
    async pass({ round }) {
      await model.pass(round)
      return null
    },
    known: () =>
      [...nodes].map(([node, { network }]) => ({
        node,
        known: network.knownPeers(),
        connections: network.status().peers
      })),
    async commit({ node, name, sentRound }) {
      const { commitment, nonce } = draftOf(name)
      const { receipts, of } = await networkOf(node).commit(name, commitment, nonce)
      const { timely, round } = claimRound(
        receipts.map(({ seenRound }) => seenRound),
        of,
        { sentRound, now: now() },
        profile
      )
      return { receipts: timely, of, ...(round !== undefined && { p: round }) }
    },
    async put({ node, name, p }) {
      const { storedBy, of, refusals } = await networkOf(node).putReveal(
        reveal(draftOf(name), modelledPulse(p), modelledProof)
      )
      return { storedBy, of, refusals: refusals.map(({ code, detail }) => `${code}: ${detail}`) }
    },
    resolve: async ({ node, name }) => weighed(await networkOf(node).getReveals(name), draftOf(name), now(), profile),
    held: ({ name }) =>
      [...nodes].flatMap(([node, { network }]) => {
        const held = network.heldHere(name)
        return held === undefined
          ? []
          : [{ node, state: held.state, isOwners: equalBytes(held.claim.pubkey, draftOf(name).owner.publicKey) }]
      })
  }
}

/** Weighs a look-up like the registry of a daemon that has never seen the name (src/registry/resolution/survey.ts). */
function weighed(
  { answers, asked, networkSize }: RevealLookup,
  { owner: { publicKey } }: Draft,
  now: number,
  profile: NetworkProfile
): Resolved {
  const proved = new Map(
    answers.flatMap(({ claimId, claim }) =>
      claimId === undefined || claim === undefined ? [] : [[String(claimId), claim]]
    )
  )
  const votes = answers.map(({ peer, state, claimId }) => {
    const claim = claimId && proved.get(String(claimId))
    return { peer, prefix: peer, ...(claim !== undefined && state !== 'none' && { held: { claim, state } }) }
  })
  const voted = tally(votes, { asked: Math.max(votes.length, asked), done: true }, profile)
  const nothing = { votes: 0, isThin: true, isSettled: false, pins: false, networkSize }
  if (voted.kind !== 'owner') return { outcome: voted.kind === 'none' ? 'none' : 'contested', ...nothing }
  const { pin } = rulePin(voted, undefined, { time: { now, lapse: now }, isSecondLook: false, spread: 0 }, profile)
  const outcome = equalBytes(voted.owner.pubkey, publicKey) ? 'owner' : 'another'
  return {
    outcome,
    votes: voted.owner.votes,
    isThin: voted.thin,
    isSettled: voted.settled,
    pins: pin !== undefined,
    networkSize
  }
}

/** Numbers 0 <= x < 1 that come from a seed alone. */
function chance(seed: string): () => number {
  let count = 0
  return () =>
    sha256(utf8(`${seed} chance ${count++}`))
      .subarray(0, 6)
      .reduce((value, byte) => value * 256 + byte, 0) /
    2 ** 48
}

let host: Omit<Handlers, 'begin'> | undefined

async function answerTo<C extends CallName>({ call, argument }: Question<C>): Promise<Calls[C]['result']> {
  if (call === 'begin') {
    const { profile, seed } = argument as Calls['begin']['argument']
    host = createHost(profile, seed)
    return null
  }
  if (host === undefined) throw new Error(`${call} came before begin`)
  return await (host as Handlers)[call](argument)
}

async function reply(question: Question): Promise<void> {
  const send = (answer: Answer): void => {
    process.send?.(answer)
  }
  try {
    send({ id: question.id, result: await answerTo(question) })
  } catch (error) {
    send({ id: question.id, fault: (error as Error).message })
  }
}

process.on('message', (question) => void reply(question as Question))
process.on('disconnect', () => process.exit(0))
