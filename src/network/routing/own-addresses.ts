/**
 * Which of its own addresses a node announces. Private ones at once; a public or a named one after a peer has dialled
 * it: behind a firewall or a router it leads nowhere, and everybody would try. A peer that lies harms this node alone,
 * which then announces an address in vain, or asks another peer.
 */
import { randomInt } from 'node:crypto'
import type { IdentifyResult, PeerId } from '@libp2p/interface'
import type { Multiaddr } from '@multiformats/multiaddr'
import type { NetworkProfile } from '../../protocol/profile/profile.ts'
import type { Clock } from '../../time/clock.ts'
import type { Node } from '../libp2p.ts'
import { standingOf, type AddressRules, type Standing } from './announceable.ts'
import type { OwnAddress } from '../types.ts'
import { answerOrUndefined, ask } from '../wire/ask.ts'
import { registryProtocol } from '../wire/messages.ts'
import { AddressVerdicts } from './address-verdicts.ts'

const LOOK_MS = 10_000

/** Peers asked about one address in one look, one after the other. The first usually confirms it. */
const ASKED_A_LOOK = 3

interface OwnAddresses {
  /** The most useful first. */
  announced(): Multiaddr[]
  /** Without the peer id; those that are announced first. */
  list(): OwnAddress[]
  /** Call before the node starts. */
  watch(node: Node): void
  /** Asks peers from now on; returns the function that ends it. */
  start(timers: Pick<Clock, 'every'>): () => void
}

export function createOwnAddresses(profile: NetworkProfile, rules: AddressRules): OwnAddresses {
  const verdicts = new Map<string, AddressVerdicts>()
  const serving = new Map<string, PeerId>()
  let node: Node | undefined
  let looks = 0
  let told: string | undefined

  const standings = (): Standing[] => standingOf(rules, node?.services.listening() ?? [])
  const verdictsOn = (address: Multiaddr): AddressVerdicts => {
    const key = address.toString()
    const known = verdicts.get(key) ?? new AddressVerdicts()
    verdicts.set(key, known)
    return known
  }
  const isAnnounced = ({ standing, address }: Standing): boolean =>
    standing === 'announce' || (standing === 'confirm' && verdictsOn(address).isConfirmed)
  const announced = (): Multiaddr[] => {
    const all = standings()
    const chosen = all.filter(isAnnounced)
    // Never nothing, or peers would keep the addresses that they were told before. So a node behind a home's router
    // announces what leads nowhere: its loopback address, as a rule.
    const last = all.findLast(({ standing }) => standing === 'local')
    return (chosen.length > 0 || last === undefined ? chosen : [last]).map(({ address }) => address)
  }

  /** Identify push follows a change of our own entry. */
  const tell = async (own: Node): Promise<void> => {
    const multiaddrs = announced()
    if (multiaddrs.join() === told || own.status !== 'started') return
    told = multiaddrs.join()
    await own.peerStore.patch(own.peerId, { multiaddrs })
  }

  const askOne = async (own: Node, peer: PeerId, address: Multiaddr, on: AddressVerdicts): Promise<void> => {
    on.asks(peer.toString(), looks)
    const answer = await answerOrUndefined(ask(own, peer, { type: 'reach', address: address.bytes }, profile))
    if (answer?.type === 'reached') on.reached(peer.toString(), looks)
    else if (answer?.type === 'refused' && answer.code === 'unreached') on.unreached(peer.toString(), answer.detail)
    else if (answer?.type === 'refused' && answer.code === 'undialled') on.undialled(answer.detail)
    await tell(own)
  }

  const check = async (own: Node, address: Multiaddr): Promise<void> => {
    const on = verdictsOn(address)
    if (on.isAsking) return
    on.isAsking = true
    try {
      for (let asked = 0; asked < ASKED_A_LOOK && on.isDue(looks); asked++) {
        const able = [...serving.values()].filter((peer) => on.mayAsk(peer.toString(), looks))
        if (able.length === 0) break
        // By chance, so that nobody can arrange to be the one that is asked.
        await askOne(own, able[randomInt(able.length)]!, address, on)
      }
    } finally {
      on.isAsking = false
    }
  }

  const look = (own: Node): void => {
    const open = standings().filter(({ standing }) => standing === 'confirm')
    for (const key of verdicts.keys()) {
      if (!open.some(({ address }) => address.toString() === key)) verdicts.delete(key)
    }
    for (const { address } of open) void check(own, address)
  }

  return {
    announced,
    list: () =>
      standings()
        .map((each): OwnAddress => {
          const shown = { address: each.address.toString(), confirmedBy: [], message: null }
          if (each.standing === 'local') return { ...shown, state: 'local', message: each.message }
          if (each.standing === 'announce') return { ...shown, state: 'announced' }
          const on = verdictsOn(each.address)
          if (on.isConfirmed) return { ...shown, state: 'announced', confirmedBy: on.confirmedBy }
          return { ...shown, state: 'unconfirmed', message: on.message(portOf(each.address)) }
        })
        .sort((left, right) => ORDER.indexOf(left.state) - ORDER.indexOf(right.state)),
    watch(own) {
      node = own
      own.addEventListener('peer:identify', ({ detail }: CustomEvent<IdentifyResult>) => {
        const peer = detail.peerId.toString()
        if (!detail.protocols.includes(registryProtocol(profile))) serving.delete(peer)
        else if (!serving.has(peer)) {
          serving.set(peer, detail.peerId)
          look(own)
        }
      })
      own.addEventListener('peer:disconnect', ({ detail }) => {
        serving.delete(detail.toString())
        for (const each of verdicts.values()) each.forget(detail.toString())
      })
    },
    start: (timers) =>
      timers.every(LOOK_MS, () => {
        looks++
        look(node!)
        void tell(node!)
      })
  }
}

const ORDER: readonly OwnAddress['state'][] = ['announced', 'unconfirmed', 'local']

function portOf(address: Multiaddr): string {
  return address.getComponents().find(({ name }) => name === 'tcp')?.value ?? ''
}
