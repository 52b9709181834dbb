import { expect, it } from 'vitest'

const { changeQuestion } = (await import(
  new URL('../../../../src/web/assets/settings/fields.ts', import.meta.url).href
)) as { changeQuestion: (field: string, value: unknown, next: unknown) => { title: string; lines: string[] } | null }

it('asks before a node leaves the network, and before names are renewed no more', () => {
  expect(changeQuestion('mode', 'full', 'offline')).toMatchObject({
    title: 'Set mode to offline?',
    lines: [expect.stringContaining('leaves the network')]
  })
  expect(changeQuestion('mode', 'full', 'light')).not.toBeNull()
  expect(changeQuestion('auto_renew', true, false)?.title).toBe('Set auto_renew to off?')
})

it('asks nothing where nobody is harmed', () => {
  expect(changeQuestion('mode', 'offline', 'full')).toBeNull()
  expect(changeQuestion('mode', 'offline', 'offline')).toBeNull()
  expect(changeQuestion('vdf.queue', 10, 20)).toBeNull()
})
