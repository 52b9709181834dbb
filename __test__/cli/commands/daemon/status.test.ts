import { afterEach, describe, expect, it } from 'vitest'
import { ask, shown, STATUS } from '../../fake-daemon.ts'

const DNS = { name: 'dns', ok: true, detail: 'chronym. on 127.0.0.1:7453 (udp, tcp)' }

afterEach(() => {
  shown.checks = []
  shown.status = STATUS
})

describe('status and doctor', () => {
  it('show where DNS answers', async () => {
    shown.checks = [DNS]
    expect((await ask(['status', '--no-json'])).stdout).toMatch(/^dns +chronym\. on 127\.0\.0\.1:7453 \(udp, tcp\)$/m)
    expect(JSON.parse((await ask(['status', '--json'])).stdout)).toMatchObject({ dns: DNS.detail })
    expect((JSON.parse((await ask(['doctor', '--json'])).stdout) as { checks: unknown[] }).checks).toContainEqual({
      name: 'dns',
      state: 'ok',
      detail: DNS.detail
    })
  })

  it('say what keeps the daemon connecting, and where others reach it', async () => {
    shown.status = { ...STATUS, status: 'connecting', connecting: 'Nobody is named \u001b[2J' }
    const { stdout } = await ask(['status', '--no-json'])
    expect(stdout).toMatch(/^waits for +Nobody is named \S/m)
    expect(stdout).toMatch(/^addresses +\/ip4\/192\.0\.2\.1\/tcp\/7469\/p2p\/me +unconfirmed$/m)
    expect(stdout).toMatch(/^ +\/ip4\/127\.0\.0\.1\/tcp\/7469\/p2p\/me +announced, confirmed by 2 peers$/m)
    expect(stdout).not.toContain('\u001b')
  })

  it('say nothing of it while it is off', async () => {
    expect((await ask(['status', '--no-json'])).stdout).not.toContain('dns')
    expect((await ask(['doctor', '--json'])).stdout).not.toContain('"dns"')
  })
})
