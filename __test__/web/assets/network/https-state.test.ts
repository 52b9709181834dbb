import { expect, it } from 'vitest'
import { httpsState } from '../../../../src/web/assets/network/https-state.ts'

it.each([
  [{ enabled: false, https: null }, 'unavailable'],
  [{ enabled: true, https: null }, 'off'],
  [{ enabled: true, https: { address: '127.0.0.1', port: 7443, ready: false } }, 'unready'],
  [{ enabled: true, https: { address: '127.0.0.1', port: 7443, ready: true } }, 'on']
] as const)('%o is %s', (view, state) => {
  expect(httpsState(view)).toBe(state)
})
