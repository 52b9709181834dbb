import { describe, expect, it } from 'vitest'
import { STATUS, YOUNG, GROWN, shown, ask } from '../../fake-daemon.ts'

describe('doctor', () => {
  it('says what to do where there are no peers, or none that can be asked', async () => {
    const cureWith = async (status: Record<string, unknown>): Promise<string> => {
      shown.status = { ...STATUS, peers: 0, ...status }
      const { stdout } = await ask(['doctor', '--json'])
      return (
        (JSON.parse(stdout) as { checks: { name: string; cure?: string }[] }).checks.find(
          ({ name }) => name === 'peers'
        )?.cure ?? ''
      )
    }
    try {
      const connecting = 'Name a peer.'
      expect(await cureWith({ status: 'connecting', connecting })).toBe(connecting)
      expect(await cureWith({ status: 'offline' })).toContain('mode=full')
    } finally {
      shown.status = STATUS
    }
  })

  it('warns of too few diverse peers, with the numbers and the cure, and calls nothing unhealthy', async () => {
    const diagnosed = async (answered: Record<string, unknown>) => {
      shown.status = answered
      const { checks } = JSON.parse((await ask(['doctor', '--json'])).stdout) as {
        checks: { name: string; state: string; detail: string; cure?: string }[]
      }
      expect(checks.find(({ name }) => name === 'daemon')).toMatchObject({ state: 'ok' })
      return checks.find(({ name }) => name === 'diverse')
    }
    const former = { ...STATUS, diversity: undefined }
    try {
      const warned = await diagnosed(YOUNG)
      expect(warned).toMatchObject({ state: 'warning', detail: YOUNG.diversity.message })
      for (const cure of ['--bootstrap', 'answers_per_prefix 0', 'smaller k', 'docs/network.md'])
        expect(warned!.cure).toContain(cure)
      expect(await diagnosed(GROWN)).toEqual({
        name: 'diverse',
        state: 'ok',
        detail: '11 diverse peers in 6 /24 (IPv6: /32)'
      })
      for (const quiet of [STATUS, former, { ...YOUNG, status: 'connecting' }])
        expect(await diagnosed(quiet)).toBeUndefined()
    } finally {
      shown.status = STATUS
    }
  })
})
