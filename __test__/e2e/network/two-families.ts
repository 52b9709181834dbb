/**
 * Run in a network namespace where 127/8 and fd01::1 to fd04::1 are this machine. Two machines of a thief have
 * an id at IPv4 and one at IPv6 for each place of their prefixes. Prints what resolvers see of a settled name, and
 * where a peer of both IP versions counts that came by IPv6.
 */
import { equalBytes } from '../../../src/protocol/encoding/bytes.ts'
import { recordKey } from '../../../src/protocol/neighbourhood/key-space.ts'
import { multiaddr } from '@multiformats/multiaddr'
import { Adversaries, diverseProfile, showing, weighed } from '../../attacks/network/adversary.ts'
import { startBareNode } from '../../network/bare-node.ts'
import { Lab, listenAt, saltOf, type LabNode } from '../../network/lab.ts'

export interface Seen {
  /** Of the name, at a resolver of both IP versions and at one of IPv4 alone. */
  readonly both: string
  readonly ipv4: string
  /** Of the thief's ids, those by IPv6 that the first resolver asked. */
  readonly metByIPv6: number
  readonly prefixOfBoth: string | null | undefined
}

const NAME = 'wanted.chronym'
const [K, HONEST] = [8, 12]
/** Fewer than half of k by IPv4, and more than half with those by IPv6. */
const THIEF = ['127.201.0.1', '127.201.0.1', '127.202.0.1', 'fd01::1', 'fd01::1', 'fd02::1']

/** Waits five minutes at most; what is printed shows what did not hold. */
async function until(holds: () => boolean): Promise<void> {
  for (let turn = 0; turn < 6_000 && !holds(); turn++) await new Promise((resolve) => setTimeout(resolve, 50))
}

const lab = new Lab(diverseProfile(K))
const crowd = new Adversaries(lab)
try {
  const honest: LabNode[] = []
  for (let index = 0; index < HONEST; index++) honest.push(await lab.addNode({ place: `127.${index + 1}.0.1` }))
  await until(() => honest.every(({ network }) => network.knownPeers() >= HONEST - 1))
  const owner = lab.owner('owner')
  await honest[0]!.network.putReveal(await lab.claim(honest[0]!, NAME, owner))
  await until(() => {
    lab.advance(1)
    return honest.filter(({ network }) => network.heldHere(NAME)?.state === 'settled').length >= K
  })
  const addresses = honest.map(({ address }) => address)
  const thief = lab.reveal(NAME, lab.owner('thief'), { p: lab.round, salt: saltOf('thief') })
  await crowd.start(recordKey('reveal', NAME, lab.hash), THIEF.length, (index) => THIEF[index]!, showing(thief, lab))
  await crowd.connect(addresses)
  const seenBy = async (resolver: LabNode): Promise<string> => {
    await until(() => resolver.network.knownPeers() >= HONEST)
    const found = weighed(await resolver.network.getReveals(NAME, undefined, 'everybody'), lab)
    if (found.kind !== 'owner') return found.kind
    return equalBytes(found.owner.pubkey, owner.publicKey) ? 'owner' : 'thief'
  }
  const both = await lab.addNode({ mode: 'light', listen: listenAt('fd03::1'), bootstrap: addresses })
  // They seek out the resolver, as they would all.
  await crowd.connect([both.address])
  const ipv4 = await lab.addNode({ mode: 'light', place: '127.101.0.1', bootstrap: addresses })
  const seen = { both: await seenBy(both), ipv4: await seenBy(ipv4) }
  const metByIPv6 = both.network.peers().filter(({ prefix }) => prefix?.endsWith('/48')).length

  const peer = await startBareNode(99, lab.profile, 'fd04::1', {
    listen: [listenAt('127.99.0.1'), listenAt('fd04::1')]
  })
  crowd.nodes.push(peer)
  await peer.dial(multiaddr(both.address))
  const prefixOfBoth = (): string | null | undefined =>
    both.network.peers().find(({ peer: id }) => id === peer.peerId.toString())?.prefix
  await until(() => prefixOfBoth()?.endsWith('/24') === true)
  process.stdout.write(`${JSON.stringify({ ...seen, metByIPv6, prefixOfBoth: prefixOfBoth() } satisfies Seen)}\n`)
} finally {
  await crowd.stop()
  await lab.close()
}
