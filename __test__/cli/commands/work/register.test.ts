/** Estimates before work, and the question. */
import { Hono } from 'hono'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Estimate } from '../../../../src/views/task.ts'
import { estimateView } from '../../../views/task.ts'
import { cli, listen } from '../../harness.ts'

const MINUTE = 60
const HOUR = 60 * MINUTE
const BASE = estimateView({
  iterations_per_second: 320_000,
  seconds: 200,
  proving_seconds: 180,
  lease_start: '2026-01-01T00:01:00.000Z',
  lease_end: '2027-01-01T00:01:00.000Z'
})

let estimate: Estimate
let asked: string[]
let url: string

beforeAll(async () => {
  const app = new Hono()
  app.use(async (c, next) => {
    asked.push(`${c.req.method} ${c.req.path}`)
    await next()
  })
  app.post('/api/vdf/estimate', (c) => c.json(estimate))
  app.post('/api/vdf/:kind{register|renew}', (c) => c.json({ task_id: 't1', message: 'started' }, 202))
  const server = await listen(app.fetch)
  url = server.url
  return server.close
})
beforeEach(() => {
  estimate = BASE
  asked = []
})

const ask = (args: readonly string[], settings: Parameters<typeof cli>[1] = {}) =>
  cli(['--api', url, '--token', 'secret', ...args], settings)
const START = ['register', 'alice.chronym', '--no-wait']

describe('a registration on a terminal', () => {
  it('says first what it will take here, and when the lease runs', async () => {
    const { stderr, exitCode } = await ask(START, { terminal: true })
    expect(stderr).toBe(
      'alice.chronym: 600,000,000 squarings, about 3 min 20 s at 320.0 K/s, of which 3 min 00 s proving; lease from 2026-01-01T00:01:00.000Z to 2027-01-01T00:01:00.000Z\n'
    )
    expect({ exitCode, asked }).toEqual({ exitCode: 0, asked: ['POST /api/vdf/estimate', 'POST /api/vdf/register'] })
  })

  it('says that a finished proof is kept, where one is', async () => {
    estimate = { ...BASE, seconds: 0, proving_seconds: 0, proof_kept: true }
    expect((await ask(START, { terminal: true })).stderr).toBe(
      'alice.chronym: a finished proof is kept here, only publishing is left; lease from 2026-01-01T00:01:00.000Z to 2027-01-01T00:01:00.000Z\n'
    )
  })

  it('names the wait for the tasks before it', async () => {
    estimate = { ...BASE, seconds: 4_000, queued_seconds: 2_000 }
    const { stderr } = await ask([...START, '--yes'], { terminal: true })
    expect(stderr).toContain('of which 33 min 20 s waiting for the tasks before it, 3 min 00 s proving')
  })

  it.each([
    ['n', 'n\n'],
    ['anything else', 'perhaps\n'],
    ['nothing: the terminal is gone', '']
  ])('of more than five minutes is not started when the answer is %s', async (_answer, stdin) => {
    estimate = { ...BASE, seconds: 5 * MINUTE + 1 }
    const { exitCode, stderr } = await ask(START, { terminal: true, stdin })
    expect(stderr).toContain('CLI-INT-001')
    expect({ exitCode, asked }).toEqual({ exitCode: 130, asked: ['POST /api/vdf/estimate'] })
  })

  it.each(['y\n', 'yes\n', '\n'])('of more than five minutes is started when the answer is %j', async (stdin) => {
    estimate = { ...BASE, seconds: 5 * MINUTE + 1 }
    expect((await ask(START, { terminal: true, stdin })).exitCode).toBe(0)
    expect(asked).toContain('POST /api/vdf/register')
  })

  it('is started without a question with --yes', async () => {
    estimate = { ...BASE, seconds: 100 * HOUR }
    expect((await ask([...START, '--yes'], { terminal: true, stdin: 'n\n' })).exitCode).toBe(0)
    expect(asked).toContain('POST /api/vdf/register')
  })
})

describe('a registration where nobody can answer', () => {
  it('of more than five minutes is refused without --yes, which the cure names', async () => {
    estimate = { ...BASE, seconds: 5 * MINUTE + 1 }
    for (const form of ['--json', '--no-json']) {
      asked = []
      const { stderr, exitCode } = await ask([...START, form], { stdin: 'y\n' })
      expect(stderr).toContain('600,000,000 squarings, about 5 min 01 s')
      expect(stderr).toContain('--yes')
      expect({ exitCode, asked }).toEqual({ exitCode: 2, asked: ['POST /api/vdf/estimate'] })
    }
  })

  it('is started where it takes less, or with --yes', async () => {
    expect((await ask(START)).exitCode).toBe(0)
    estimate = { ...BASE, seconds: 100 * HOUR }
    const { stderr, exitCode } = await ask([...START, '--yes', '--no-json'], { stdin: 'n\n' })
    expect(stderr).toContain('4 d 4 h')
    expect(exitCode).toBe(0)
  })

  it('that waits long for others and works little is started', async () => {
    estimate = { ...BASE, seconds: HOUR, queued_seconds: HOUR - 10 }
    expect((await ask(START)).exitCode).toBe(0)
  })

  it('spares a program that says --yes the measurement', async () => {
    expect((await ask([...START, '--yes', '--json'])).exitCode).toBe(0)
    expect(asked).toEqual(['POST /api/vdf/register'])
  })
})

describe('a renewal', () => {
  const RENEW = ['renew', 'alice.chronym', '--no-wait']
  const HALF_YEAR = (365 * 24 * HOUR) / 2
  const renewal = (gain: number): Estimate => ({ ...BASE, kind: 'renew', gain_seconds: gain, left: 64 })

  it('that gains little is asked about, with the gain and what it spends', async () => {
    estimate = renewal(185)
    const { exitCode, stderr } = await ask(RENEW, { terminal: true, stdin: 'n\n' })
    expect(stderr).toContain('it extends the lease by 3 min 05 s and spends one of the 64 renewals left')
    expect({ exitCode, asked }).toEqual({ exitCode: 130, asked: ['POST /api/vdf/estimate'] })
  })

  it('that gains little is not started by Enter alone', async () => {
    estimate = renewal(185)
    expect((await ask(RENEW, { terminal: true, stdin: '\n' })).exitCode).toBe(130)
    expect((await ask(RENEW, { terminal: true, stdin: 'y\n' })).exitCode).toBe(0)
  })

  it('that gains little is refused where nobody can answer, unless --yes is given', async () => {
    estimate = renewal(HALF_YEAR - 1)
    const { exitCode, stderr } = await ask(RENEW)
    expect({ exitCode, asked }).toEqual({ exitCode: 2, asked: ['POST /api/vdf/estimate'] })
    expect(stderr).toContain('--yes')
    expect((await ask([...RENEW, '--yes'])).exitCode).toBe(0)
  })

  it('that gains half a lease is started', async () => {
    estimate = renewal(HALF_YEAR)
    expect((await ask(RENEW)).exitCode).toBe(0)
  })
})
