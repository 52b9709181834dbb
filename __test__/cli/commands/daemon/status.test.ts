import { describe, expect, it } from 'vitest'
import { ask, GROWN, shown, STATUS, YOUNG } from '../../fake-daemon.ts'

interface Check {
  readonly name: string
  readonly state: string
  readonly detail: string
  readonly cure?: string
}
const diagnosed = async (): Promise<readonly Check[]> =>
  (JSON.parse((await ask(['doctor', '--json'])).stdout) as { checks: Check[] }).checks

const DNS = { name: 'dns', ok: true, detail: 'chronym. on 127.0.0.1:7453 (udp, tcp)' }

describe('status and doctor', () => {
  it('show where DNS answers', async () => {
    shown.checks = [DNS]
    expect((await ask(['status', '--no-json'])).stdout).toMatch(/^dns +chronym\. on 127\.0\.0\.1:7453 \(udp, tcp\)$/m)
    expect(JSON.parse((await ask(['status', '--json'])).stdout)).toMatchObject({ dns: DNS.detail })
    expect(await diagnosed()).toContainEqual({ name: 'dns', state: 'ok', detail: DNS.detail })
  })

  it('say what keeps the daemon connecting, and where others reach it', async () => {
    shown.status = { ...STATUS, status: 'connecting', connecting: 'Nobody is named \u001b[2J' }
    const { stdout } = await ask(['status', '--no-json'])
    expect(stdout).toMatch(/^waits for +Nobody is named \S/m)
    expect(stdout).toMatch(/^addresses +\/ip4\/192\.0\.2\.1\/tcp\/7469\/p2p\/me +unconfirmed$/m)
    expect(stdout).toMatch(/^ +\/ip4\/127\.0\.0\.1\/tcp\/7469\/p2p\/me +announced, confirmed by 2 peers$/m)
    expect(stdout).not.toContain('\u001b')
  })

  it('say why mode auto is light, and what to do', async () => {
    expect((await diagnosed()).map(({ name }) => name)).not.toContain('mode')
    const auto = 'Light: peers cannot reach it. Open TCP port 7469. \u001b[2J'
    shown.status = { ...STATUS, mode: 'light', auto }
    expect((await ask(['status', '--no-json'])).stdout).toMatch(/^mode +light\n +Light: .* Open TCP port 7469\. \S/m)
    expect(await diagnosed()).toContainEqual({ name: 'mode', state: 'ok', detail: auto })
  })

  it('say nothing of it while it is off', async () => {
    expect((await ask(['status', '--no-json'])).stdout).not.toContain('dns')
    expect((await ask(['doctor', '--json'])).stdout).not.toContain('"dns"')
  })
})

describe('doctor', () => {
  it('says what to do where there are no peers, or none that can be asked', async () => {
    const cureWith = async (status: Record<string, unknown>): Promise<string | undefined> => {
      shown.status = { ...STATUS, peers: 0, ...status }
      return (await diagnosed()).find(({ name }) => name === 'peers')?.cure
    }
    const connecting = 'Name a peer.'
    expect(await cureWith({ status: 'connecting', connecting })).toBe(connecting)
    expect(await cureWith({ status: 'offline' })).toContain('mode=full')
  })

  it('warns of too few diverse peers, with the numbers and the cure, and calls nothing unhealthy', async () => {
    const diversityOf = async (answered: Record<string, unknown>) => {
      shown.status = answered
      const checks = await diagnosed()
      expect(checks.find(({ name }) => name === 'daemon')).toMatchObject({ state: 'ok' })
      return checks.find(({ name }) => name === 'diverse')
    }
    const former = { ...STATUS, diversity: undefined }
    const warned = await diversityOf(YOUNG)
    expect(warned).toMatchObject({ state: 'warning', detail: YOUNG.diversity.message })
    for (const cure of ['--bootstrap', 'answers_per_prefix 0', 'smaller k', 'docs/network.md'])
      expect(warned!.cure).toContain(cure)
    expect(await diversityOf(GROWN)).toEqual({
      name: 'diverse',
      state: 'ok',
      detail: '11 diverse peers in 6 /24 (IPv6: /32)'
    })
    for (const quiet of [STATUS, former, { ...YOUNG, status: 'connecting' }])
      expect(await diversityOf(quiet)).toBeUndefined()
  })
})

it('id prints the peer id and the addresses that --bootstrap takes', async () => {
  const { stdout } = await ask(['id', '--no-json'])
  expect(stdout.split('\n')).toMatchObject([
    'me',
    '/ip4/192.0.2.1/tcp/7469/p2p/me  unconfirmed',
    expect.stringMatching(/^ {2}No peer has dialled it yet \S+$/),
    '/ip4/127.0.0.1/tcp/7469/p2p/me  announced, confirmed by 2 peers',
    ''
  ])
  expect(JSON.parse((await ask(['id', '--json'])).stdout)).toEqual({ peer_id: 'me', addresses: STATUS.addresses })
  shown.status = { ...STATUS, addresses: [] }
  expect((await ask(['id', '--no-json'])).stdout).toContain('offline')
})

it('peers lists them as a table', async () => {
  const { stdout } = await ask(['peers', '--no-json'])
  expect(stdout).toMatch(/^peer +prefix +direction +since +in table$/m)
  expect(stdout).toMatch(/^a +192\.0\.2\.0\/24 +inbound +.* ago +yes$/m)
  expect(stdout).toMatch(/^b +- +- +- +no$/m)
  expect(JSON.parse((await ask(['peers', 'list', '--json'])).stdout)).toHaveLength(2)
})

it('peers connect says what was dialled, and passes on why it fails', async () => {
  const connect = ['peers', 'connect', '/ip4/192.0.2.1/tcp/1']
  expect((await ask([...connect, '--no-json'])).stdout).toMatch(
    /^nothing was dialled: a was connected already \(inbound, since .* ago\)\. Whether \/ip4\/192\.0\.2\.1\/tcp\/1 works is not known\n$/u
  )
  expect(JSON.parse((await ask([...connect, '--json'])).stdout)).toMatchObject({ peer: 'a', dialled: false })
  shown.peers = []
  expect((await ask([...connect, '--no-json'])).stdout).toBe('dialled /ip4/192.0.2.1/tcp/1: connected to a\n')
  const refused = await ask(['peers', 'connect', 'nobody', '--json'])
  expect(refused.exitCode).toBe(7)
  expect(JSON.parse(refused.stderr)).toMatchObject({
    error: { code: 'SVC-NET-001', cure: expect.stringContaining('chronym id') }
  })
})
