import { expect, it } from 'vitest'
import { NO_FARM } from '../../../../src/views/farm.ts'
import { ask, shown } from '../../fake-daemon.ts'
import { cli } from '../../harness.ts'

const FARM = {
  ...NO_FARM,
  enabled: true,
  connected: true,
  workers: [{ worker: 'w\u001b1', threads: 8, busy: 2, iterations_per_second: 601_000 }],
  tasks: 2,
  wrong_proofs: 1,
  barred: ['liar'],
  outdated: ['old']
}

it('farm status shows workers, their work, and who lied', async () => {
  shown.farm = FARM
  expect(JSON.parse((await ask(['farm', 'status', '--json'])).stdout)).toEqual(FARM)
  const { stdout } = await ask(['farm', 'status'], { terminal: true })
  expect(stdout).toContain(
    'server       connected\ntasks there  2\nwrong proofs 1, of liar\nno work for  old: of another version'
  )
  expect(stdout).toMatch(/w\\u001b1 +2\/8 +601,000\/s/u)
  shown.farm = NO_FARM
  expect((await ask(['farm', 'status'], { terminal: true })).stdout).toBe('no farm: vdf.farm is not set\n')
})

it.each([
  [['--farm', 'http://127.0.0.1'], 'it must be the URL of a NATS server'],
  [['--farm', 'nats://127.0.0.1', '--label', 'two words'], 'at most 80 letters'],
  [['--farm', 'nats://127.0.0.1', '--threads', '0'], 'whole number from 1'],
  [[], '--farm']
])('worker says what is wrong with %j', async (args, reason) => {
  const { exitCode, stderr } = await cli(['worker', ...args])
  expect(exitCode).toBe(2)
  expect(stderr).toContain(reason)
})
