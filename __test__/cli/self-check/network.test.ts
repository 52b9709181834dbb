/** `chronym network check`: what it says of networks that are well, young, of one hand, and of names that are lost. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { NetworkDiversityView, PeerView } from '../../../src/views/network.ts'
import { VERSION } from '../../../src/version.ts'
import { REVEAL } from '../../api/helpers/records.ts'
import { MAIN_TOKEN, type World } from '../../api/helpers/world.ts'
import { DaemonScene } from '../daemon-scene.ts'
import { cli, says } from '../harness.ts'

const NAME = 'alice.chronym'
/** Four peers of a young network, two of each of two /24. */
const DIVERSITY: NetworkDiversityView = {
  peers: 4,
  prefixes: 2,
  wide_prefixes: 1,
  needed: { answer: 11, settle: 8, adopt: 5 },
  missing: { peers: 7, prefixes: 4, wide_prefixes: 2 },
  enough: false,
  message: '4 of the 11 diverse peers'
}

describe('network check', () => {
  const scene = new DaemonScene()
  let world: World
  let url: string
  beforeEach(async () => {
    ;({ url, world } = await scene.daemon())
    world.hold(REVEAL)
    world.answers.sampleNames = () => [NAME]
    world.answers.networkStatus = () => ({ ...world.node.registry.networkStatus(), diversity: DIVERSITY })
  })
  afterEach(() => scene.end())

  const check = (...args: string[]) =>
    cli(['--api', url, '--token', MAIN_TOKEN, '--no-json', 'network', 'check', ...args])
  const peer = (index: number, change: Partial<PeerView> = {}): PeerView => ({
    peer: `12D3KooW${index}`,
    prefix: `198.${index}.100.0/24`,
    distance: 0.1,
    in_table: true,
    agent: `chronym/${VERSION}`,
    connection: null,
    ...change
  })
  const peers = (...list: PeerView[]): void => {
    world.answers.peers = () => list
  }

  const resolves = (how: 'settled' | 'thin'): void => {
    world.answers.explain = async (name, options) => ({
      ...(await world.node.registry.explain(name, options)),
      resolves: how,
      error: null
    })
  }

  it('tells of a young network what is missing, and asks for names that the daemon holds', async () => {
    peers(peer(1), peer(2), peer(3))
    resolves('settled')
    const { exitCode, stdout } = await check()
    expect(exitCode).toBe(1)
    expect(stdout).toMatch(/FAIL {2}diverse +4 diverse peers .*names do not settle below 8/)
    expect(stdout).toMatch(/ok +spread +1 of 3 peers are in 198\.1/)
    expect(stdout).toMatch(/ok +names +1 name asked for at random: 1 as they should/)
  })

  it('warns where one /16 has more than a third of the peers, and of other versions', async () => {
    peers(...[1, 2, 3].map((index) => peer(index, { prefix: `192.0.${index}.0/24`, agent: 'chronym/0.0.9' })), peer(4))
    const { stdout } = await check()
    expect(stdout).toMatch(/warn {2}spread +3 of 4 peers are in 192\.0/)
    expect(stdout).toMatch(/warn {2}versions +3 chronym\/0\.0\.9, 1 chronym/)
  })

  it('takes an IPv6 prefix as its /32, and leaves out peers that cannot be asked', async () => {
    peers(
      peer(1, { prefix: '2001:db8:1::/48' }),
      peer(2, { prefix: '2001:db8:2::/48' }),
      ...[3, 4, 5].map((index) => peer(index, { in_table: false }))
    )
    expect((await check()).stdout).toMatch(/spread +2 of 2 peers are in 2001:db8 /)
  })

  it('tells a wrong clock of this machine from that of a few peers', async () => {
    peers(peer(1))
    const said = async (...ahead: number[]): Promise<string> => {
      world.answers.clocks = () =>
        Promise.resolve(ahead.map((ahead_ms, index) => ({ peer: `12D3KooW${index}`, ahead_ms })))
      return (await check()).stdout
    }
    expect(await said(-200, 400, 90)).toMatch(/ok +clocks +3 peers ahead of this machine by -0\.2 s to 0\.4 s/)
    expect(await said(-200, 400, 90_000)).toMatch(/warn {2}clocks .*to 90\.0 s: 1 unlike most/)
    expect(await said(300_100, 300_000, 12)).toMatch(/FAIL {2}clocks .*half of them by 300\.0 s/)
    expect(await said()).toMatch(/warn {2}clocks +no peer has told/)
  })

  it('names what does not resolve', async () => {
    peers(peer(1))
    expect(await check('nobody.chronym')).toMatchObject({
      exitCode: 1,
      stdout: expect.stringMatching(/FAIL {2}names .*lost or contested: nobody\.chronym/) as string
    })
  })

  it('warns of names that too few peers know', async () => {
    peers(peer(1))
    resolves('thin')
    expect((await check()).stdout).toMatch(/warn {2}names .*thin: alice\.chronym/)
  })

  it('says what to give where the daemon holds no name', async () => {
    peers(peer(1))
    world.answers.sampleNames = () => []
    expect((await check()).stdout).toMatch(/warn {2}names +this daemon holds no name/)
  })

  it('needs a daemon', async () => {
    expect(await cli(['--api', 'http://127.0.0.1:9', 'network', 'check'])).toMatchObject(says(3, 'http://127.0.0.1:9'))
  })
})
