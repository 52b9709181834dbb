/** Cancelling and releasing, tasks meant by their name, the list that is watched. */
import { Hono } from 'hono'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { TaskView } from '../../../../src/views/task.ts'
import type { OwnedNameView } from '../../../../src/views/own.ts'
import { taskView } from '../../../views/task.ts'
import { cli, listen } from '../../harness.ts'

const TASK = taskView({
  task_id: 't1',
  status: 'failed',
  phase: 'commit',
  iterations: 1000,
  error: { code: 'SVC-TSK-003', message: 'cancelled' }
})

const NAMED: OwnedNameView = {
  name: 'alice.chronym',
  state: 'live',
  check_code: '7kq2mx0123456789abcdefghjk',
  coded_name: null,
  lease_end: '2027-01-01T00:01:00.000Z',
  serial: 1,
  published_serial: 1,
  records: 1,
  renewal: { state: 'released', due: null, task_id: null, left: 64 },
  warnings: []
}

let lists: TaskView[][]
let shown: TaskView
let asked: string[]
/** The task ends before a request to cancel it arrives. */
let endsMeanwhile = false
let url: string

beforeAll(async () => {
  const app = new Hono()
  app.use(async (c, next) => {
    asked.push(`${c.req.method} ${c.req.path}`)
    await next()
  })
  app.post('/api/vdf/estimate', (c) => c.json({ iterations_per_second: 5 }))
  app.get('/api/names', (c) => c.json([NAMED]))
  app.on(['POST', 'DELETE'], '/api/names/:name/release', (c) => c.json(NAMED))
  app.post('/api/vdf/tasks/:id/pause', (c) => c.json(TASK))
  app.post('/api/vdf/tasks/:id/move', async (c) => {
    asked.push(`${asked.pop()} ${await c.req.text()}`)
    return c.json({ ...TASK, task_id: c.req.param('id') })
  })
  app.get('/api/vdf/tasks', (c) => c.json(lists.length > 1 ? lists.shift() : lists[0]))
  app.get('/api/vdf/status/:id', (c) => c.json({ ...shown, task_id: c.req.param('id') }))
  app.delete('/api/vdf/status/:id', (c) => {
    if (c.req.query('only') !== 'running' || !endsMeanwhile) return c.json({ success: true })
    return c.json(
      {
        code: 'SVC-TSK-004',
        title: 'Task has ended',
        status: 409,
        detail: 'The registration of alice.chronym is completed.'
      },
      409,
      { 'Content-Type': 'application/problem+json' }
    )
  })
  const server = await listen(app.fetch)
  url = server.url
  return server.close
})
beforeEach(() => {
  lists = [[]]
  shown = TASK
  asked = []
})

const ask = (args: readonly string[], settings: Parameters<typeof cli>[1] = {}) =>
  cli(['--api', url, '--token', 'secret', ...args], settings)

describe('cancel', () => {
  /** A task that is named by a word is looked for in the list first. */
  const acts = (): string[] => asked.filter((each) => each !== 'GET /api/vdf/tasks')
  const running: TaskView = {
    ...TASK,
    status: 'running',
    phase: 'evaluate',
    progress: 400,
    iterations_per_second: 5,
    error: null
  }

  it('of more than a minute of work is asked about, with what is lost', async () => {
    shown = running
    const { exitCode, stderr } = await ask(['cancel', 't1'], { terminal: true, stdin: '\n' })
    expect(stderr).toContain('Cancelling discards 1 min 20 s of work: 40.0% of the squarings for alice.chronym')
    expect({ exitCode, asked: acts() }).toEqual({ exitCode: 130, asked: ['GET /api/vdf/status/t1'] })
    expect((await ask(['cancel', 't1'], { terminal: true, stdin: 'y\n' })).exitCode).toBe(0)
    expect(asked.at(-1)).toBe('DELETE /api/vdf/status/t1')
  })

  it('of more than a minute of work is refused where nobody can answer, unless --yes is given', async () => {
    shown = { ...running, iterations_per_second: null }
    expect((await ask(['cancel', 't1'])).exitCode).toBe(2)
    expect(acts()).toEqual(['GET /api/vdf/status/t1', 'POST /api/vdf/estimate'])
    expect((await ask(['cancel', 't1', '--yes'])).exitCode).toBe(0)
  })

  it.each([
    ['little work', { progress: 300 }],
    ['a finished proof, which is kept,', { phase: 'reveal', progress: 1000 } as const]
  ])('of %s is not asked about', async (_what, change) => {
    shown = { ...running, ...change }
    expect((await ask(['cancel', 't1'])).exitCode).toBe(0)
    expect(acts()).toEqual(['GET /api/vdf/status/t1', 'DELETE /api/vdf/status/t1'])
  })

  it('of a claim that peers may hold says how to keep the name', async () => {
    shown = { ...running, phase: 'reveal', progress: 1000 }
    const { stdout } = await ask(['cancel', 't1', '--no-json'])
    expect(stdout).toContain('Peers may hold alice.chronym already')
    expect(stdout).toContain('chronym release --undo alice.chronym')
    shown = running
    expect((await ask(['cancel', 't1', '--yes', '--no-json'])).stdout).not.toContain('release')
  })

  it.each([
    ['is completed', { ...TASK, status: 'completed', error: null } as const],
    ['was cancelled', TASK],
    ['has failed', { ...TASK, error: { code: 'SVC-BCN-001', message: 'No pulse' } } as const]
  ])('of one that %s says so, and --clear takes it off the list', async (how, task) => {
    shown = task
    const { exitCode, stderr } = await ask(['cancel', 't1'])
    expect(exitCode).toBe(6)
    expect(stderr).toContain(`SVC-TSK-004`)
    expect(stderr).toContain(how)
    expect(acts()).toEqual(['GET /api/vdf/status/t1'])
    const cleared = await ask(['cancel', 't1', '--clear', '--no-json'])
    expect(cleared).toMatchObject({ exitCode: 0, stdout: 'task t1 is cleared\n' })
  })

  it('of one that ends meanwhile neither claims to cancel nor clears it', async () => {
    shown = running
    endsMeanwhile = true
    try {
      const { exitCode, stdout, stderr } = await ask(['cancel', 't1', '--yes'])
      expect({ exitCode, stdout }).toEqual({ exitCode: 6, stdout: '' })
      expect(stderr).toContain('SVC-TSK-004')
    } finally {
      endsMeanwhile = false
    }
  })

  it('--clear of a running one is a mistake', async () => {
    shown = running
    expect((await ask(['cancel', 't1', '--clear', '--yes'])).exitCode).toBe(2)
    expect(acts()).toEqual(['GET /api/vdf/status/t1'])
  })
})

describe('release', () => {
  const RELEASE = ['release', 'alice.chronym']

  it('asks first, and says when the name lapses and how to take it back', async () => {
    const refused = await ask(RELEASE, { terminal: true, stdin: '\n' })
    expect(refused.stderr).toContain(
      'The daemon stops renewing alice.chronym: its lease ends at 2027-01-01T00:01:00.000Z'
    )
    expect({ exitCode: refused.exitCode, asked }).toEqual({ exitCode: 130, asked: ['GET /api/names'] })
    const { stdout } = await ask(RELEASE, { terminal: true, stdin: 'y\n' })
    expect(stdout).toContain(`chronym --api ${url} release --undo alice.chronym`)
    expect(asked.at(-1)).toBe('POST /api/names/alice.chronym/release')
  })

  it('is refused where nobody can answer, unless --yes is given', async () => {
    expect((await ask(RELEASE)).exitCode).toBe(2)
    expect(asked).toEqual(['GET /api/names'])
    expect((await ask([...RELEASE, '--yes'])).exitCode).toBe(0)
  })

  it('--undo asks nobody', async () => {
    expect((await ask([...RELEASE, '--undo'])).exitCode).toBe(0)
    expect(asked).toEqual(['DELETE /api/names/alice.chronym/release'])
  })
})

describe('tasks', () => {
  const id = '01234567-89ab-4def-8123-456789abcdef'

  it('calls a cancelled one cancelled, in its own colour', async () => {
    lists = [[TASK, { ...TASK, error: { code: 'SVC-BCN-001', message: 'No pulse' } }]]
    const { stdout } = await ask(['tasks'], { terminal: true, env: { FORCE_COLOR: '1' } })
    expect(stdout).toContain('\u001b[33mcancelled\u001b[39m')
    expect(stdout).toContain('\u001b[31mfailed\u001b[39m')
  })

  it('fit in 80 columns, however long the names are, by ids that every command takes', async () => {
    lists = [
      ['alice', 'x'.repeat(63)].map((label, index) => ({
        ...TASK,
        task_id: `${index}${id.slice(1)}`,
        name: `${label}.chronym`,
        status: 'running',
        phase: 'evaluate',
        eta_seconds: 123_456,
        error: null
      }))
    ]
    const { stdout } = await ask(['tasks'], { terminal: true, columns: 80 })
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80)
    expect(stdout).toContain('01234567\n')
    await ask(['status', '01234567'])
    expect(asked.at(-1)).toBe(`GET /api/vdf/status/${id}`)
  })
})

describe('a task meant by its name', () => {
  it('is the running one', async () => {
    lists = [
      [
        { ...TASK, task_id: 'old' },
        { ...TASK, task_id: 'now', status: 'running', error: null },
        { ...TASK, task_id: 'other', name: 'bob.chronym' }
      ]
    ]
    await ask(['pause', 'Alice.chronym'])
    expect(asked).toEqual(['GET /api/vdf/tasks', 'POST /api/vdf/tasks/now/pause'])
    asked = []
    const { stdout } = await ask(['tasks', 'move', 'alice', 'farm'], { terminal: true })
    expect(stdout).toBe('task now goes to the farm\n')
    expect(asked).toEqual(['GET /api/vdf/tasks', 'POST /api/vdf/tasks/now/move {"place":"farm"}'])
    expect((await ask(['tasks', 'move', 'alice', 'home'])).stderr).toContain('local, farm')
  })

  it('is the newest where none runs', async () => {
    lists = [
      [
        { ...TASK, task_id: 'old' },
        { ...TASK, task_id: 'newer' }
      ]
    ]
    expect(JSON.parse((await ask(['status', 'alice.chronym', '--json'])).stdout)).toMatchObject({ task_id: 'newer' })
  })

  it('is exit code 4 where there is none', async () => {
    const { exitCode, stderr } = await ask(['cancel', 'alice.chronym'])
    expect(exitCode).toBe(4)
    expect(stderr).toContain('There is no task for alice.chronym.')
  })
})

describe('tasks --watch', () => {
  const running: TaskView = { ...TASK, status: 'running', error: null }

  it('ends when none is running, and repeats nothing that did not change', async () => {
    lists = [[running], [TASK]]
    const { exitCode, stdout } = await ask(['tasks', '--watch', '--json'])
    expect(exitCode).toBe(0)
    expect(
      stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown)
    ).toEqual([[running], [TASK]])
  })

  it('prints each table that differs in a pipe', async () => {
    lists = [[running], [running], [TASK]]
    const { stdout } = await ask(['tasks', '--watch'])
    expect(stdout.match(/^alice.*$/gmu)).toEqual([
      expect.stringContaining('commit') as string,
      expect.stringContaining('cancelled') as string
    ])
  })

  it('shows the table in its place', async () => {
    lists = [[running], [TASK]]
    const { stdout } = await ask(['tasks', '--watch'], { terminal: true })
    expect(stdout).toContain('\u001b[2A\u001b[J')
    expect(stdout.trim().split('\n').at(-1)).toContain('cancelled')
  })

  it('ends with 130 at Ctrl-C', async () => {
    lists = [[running]]
    const controller = new AbortController()
    const ending = ask(['tasks', '--watch'], { signal: controller.signal })
    await expect.poll(() => asked.length).toBeGreaterThan(0)
    controller.abort()
    expect((await ending).exitCode).toBe(130)
  })
})
