import { describe, expect, it } from 'vitest'
import { DONE, OWNED, TASK, WELL, daemon, ask, shown, url } from '../fake-daemon.ts'

describe('watching a task', () => {
  it('prints one line of JSON for each event with --json and ends with 0 when it is completed', async () => {
    const { exitCode, stdout } = await ask(['register', '--yes', '--json', 'alice.chronym'])
    expect(exitCode).toBe(0)
    expect(
      stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown)
    ).toEqual([
      { event: 'started', task_id: 't1', message: 'started' },
      { event: 'progress', ...TASK },
      { event: 'completed', ...DONE }
    ])
  })

  it('shows phases and a bar to a person', async () => {
    const { stdout, stderr } = await ask(['status', '--watch', 't1'], { terminal: true })
    expect(stderr).toContain('squaring: the time that the name costs')
    expect(stderr).toContain('500/1,000')
    expect(stdout).toBe('alice.chronym is registered: 1,000 squarings, 5.0 s in all.\n')
  })

  it('ends with 1 and the reason when the task failed', async () => {
    const { exitCode, stderr } = await ask(['status', '--watch', 'bad'])
    expect(exitCode).toBe(1)
    expect(stderr).toContain('SVC-REG-001')
    expect(stderr).toContain('somebody was faster')
    expect((await ask(['status', 'bad'])).exitCode).toBe(1)
  })

  it('looks at the task when a stream ends without its end', async () => {
    const { exitCode, stdout } = await ask(['status', '--watch', 'cut', '--json'])
    expect(exitCode).toBe(0)
    expect(
      stdout
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as { event: string }).event)
    ).toEqual(['progress', 'completed'])
  })

  it('says that the daemon is gone while it tries again, once', async () => {
    const { stderr } = await ask(['status', '--watch', 'cut', '--no-json'])
    expect(stderr.match(/does not answer; trying again/gu)).toHaveLength(1)
  })

  it('leaves the task alone when interrupted, which is not an error, and says how to come back', async () => {
    const { exitCode, stderr } = await ask(['status', '--watch', 'cut'], { signal: AbortSignal.abort() })
    expect(exitCode).toBe(130)
    expect(stderr).toBe(
      '• the task continues in the daemon\n' +
        `  watch it: chronym --api ${url} status --watch cut\n  cancel it: chronym --api ${url} cancel cut\n`
    )
    expect(daemon.requests.some(({ method, path }) => method === 'DELETE' && path.endsWith('/cut'))).toBe(false)
  })

  it('ends the first registration of a daemon with the next step, and no other', async () => {
    const register = async (names: object[], ...more: string[]): Promise<string> => {
      shown.names = names
      return (await ask(['register', 'alice', '--yes', '--no-json', ...more])).stderr
    }
    const first = { ...OWNED, serial: 1 }
    expect(await register([first])).toMatch(
      new RegExp(
        `alice\\.chronym points nowhere yet\\.\\n` +
          `  point it to this machine: chronym --api ${url} zone add alice\\.chronym @ AA?A?A? [0-9a-f.:]+ --publish\\n` +
          `  use such names on this computer: chronym --api ${url} dns setup\\n$`,
        'u'
      )
    )
    for (const names of [[first, WELL], [OWNED], []]) expect(await register(names)).not.toContain('nowhere')
    expect(await register([first], '--no-wait')).not.toContain('nowhere')
  })
})
