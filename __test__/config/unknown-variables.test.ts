import { expect, it } from 'vitest'
import { CONFIG_FIELDS } from '../../src/config/config.ts'
import { unknownVariables } from '../../src/config/unknown-variables.ts'
import { cli } from '../cli/harness.ts'

it.each([
  ['CHRONYM_DNS_ENABLE', 'CHRONYM_DNS_ENABLED'],
  ['CHRONYM_DATADIR', 'CHRONYM_DATA_DIR'],
  ['CHRONYM_API_PORT', 'CHRONYM_PORT'],
  ['CHRONYM_P2P_BOOTSTRAP', 'CHRONYM_BOOTSTRAP'],
  ['CHRONYM_TOKN', 'CHRONYM_TOKEN'],
  [`CHRONYM_LISTEN${'N'.repeat(100_000)}`, 'CHRONYM_']
])('names the variable that %.40s may mean', (name, meant) => {
  const [warning, ...others] = unknownVariables({ [name]: 'false', PATH: '/bin' })
  expect(others).toEqual([])
  expect(warning).toContain(`environment variable ${name} has no effect`)
  expect(warning).toContain(`The nearest is ${meant}`)
})

it('says nothing of real variables, removed ones and those that Kubernetes sets', () => {
  const real = [...CONFIG_FIELDS.map(({ env }) => env), 'CHRONYM_API', 'CHRONYM_TOKEN', 'CHRONYM_CONFIG']
  const others = [
    'CHRONYM_VDF_BACKEND',
    'CHRONYM_DNS_ANSWER_THIN',
    'CHRONYM_SERVICE_HOST',
    'CHRONYM_PORT_7468_TCP_ADDR'
  ]
  expect(unknownVariables(Object.fromEntries([...real, ...others].map((name) => [name, 'x'])))).toEqual([])
})

it('is heard from commands, once, and from `config check` in its answer', async () => {
  const env = { CHRONYM_DNS_ENABLE: 'false' }
  const profile = await cli(['config', 'profile', 'local'], { env })
  expect(profile.stderr.match(/CHRONYM_DNS_ENABLED/gu)).toHaveLength(1)
  const checked = await cli(['config', 'check', '--no-json'], { env })
  expect(checked.stderr.match(/CHRONYM_DNS_ENABLED/gu)).toHaveLength(1)
  const answer = JSON.parse((await cli(['config', 'check', '--json'], { env })).stdout) as { warnings: string[] }
  expect(answer.warnings).toEqual([expect.stringContaining('CHRONYM_DNS_ENABLED')])
})
