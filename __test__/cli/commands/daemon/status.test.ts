import { afterEach, describe, expect, it } from 'vitest'
import { ask, shown } from '../../fake-daemon.ts'

const DNS = { name: 'dns', ok: true, detail: 'chronym. on 127.0.0.1:7453 (udp, tcp)' }

afterEach(() => {
  shown.checks = []
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

  it('say nothing of it while it is off', async () => {
    expect((await ask(['status', '--no-json'])).stdout).not.toContain('dns')
    expect((await ask(['doctor', '--json'])).stdout).not.toContain('"dns"')
  })
})
