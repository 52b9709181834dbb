import { afterEach, expect, it } from 'vitest'
import { ask, shown, STATUS } from '../../fake-daemon.ts'

afterEach(() => {
  shown.status = STATUS
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

it('peers connect dials one, and passes on why it fails', async () => {
  expect((await ask(['peers', 'connect', '/ip4/192.0.2.1/tcp/1', '--no-json'])).stdout).toBe('connected to a\n')
  const refused = await ask(['peers', 'connect', 'nobody', '--json'])
  expect(refused.exitCode).toBe(7)
  expect(JSON.parse(refused.stderr)).toMatchObject({
    error: { code: 'SVC-NET-001', cure: expect.stringContaining('chronym id') }
  })
})
