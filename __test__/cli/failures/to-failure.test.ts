import { existsSync, openSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { toFailure } from '../../../src/cli/failures/to-failure.ts'
import { ERROR_TABLE, type ErrorCode } from '../../../src/error-table.ts'
import { withDaemon } from '../../../src/util/shell-commands.ts'
import { ask, daemon, url } from '../fake-daemon.ts'

describe('errors of the daemon', () => {
  it.each<[ErrorCode, number]>([
    ['SVC-RES-002', 4],
    ['SVC-RES-003', 4],
    ['SVC-TSK-001', 4],
    ['SVC-AUT-003', 4],
    ['SVC-PIN-001', 4],
    ['SVC-AUT-001', 5],
    ['SVC-AUT-002', 5],
    ['SVC-OWN-001', 5],
    ['SVC-REQ-001', 6],
    ['SVC-REG-001', 6],
    ['SVC-ZON-002', 6],
    ['SVC-ZON-004', 6],
    ['SVC-RES-001', 7],
    ['SVC-REQ-005', 7],
    ['SVC-PUB-002', 7],
    ['SVC-BCN-001', 7],
    ['SVC-INT-001', 8],
    ['SVC-STO-001', 8]
  ])('%s ends with exit code %d', async (code, exitCode) => {
    const result = await ask(['--json', 'resolve', code])
    expect(result).toMatchObject({ exitCode, stdout: '' })
    expect(JSON.parse(result.stderr)).toEqual({
      error: {
        code,
        detail: `detail of ${code}`,
        cure:
          code === 'SVC-AUT-001'
            ? expect.stringContaining('--data-dir')
            : withDaemon(ERROR_TABLE[code].cure, { api: url }),
        status: ERROR_TABLE[code].status,
        request_id: 'r7',
        exit_code: exitCode
      }
    })
  })

  it('gives every code that has an HTTP status an exit code of a failure', async () => {
    for (const [code, { status }] of Object.entries(ERROR_TABLE))
      if (status !== null) expect((await ask(['resolve', code])).exitCode, code).toBeGreaterThan(3)
  })

  it.each(['a\nb', 'a b', 'ä'])('never sends %j, which is not a token', async (token) => {
    const { exitCode, stderr } = await ask(['names', '--token', token])
    expect(exitCode).toBe(5)
    expect(stderr).toMatch(/CLI-TOK-001.*--token or CHRONYM_TOKEN/)
  })

  it.each(['other\n', 'other\r\n', ' other '])('takes %j for the token without what is around it', async (token) => {
    expect((await ask(['names', '--token', token])).exitCode).toBe(0)
    expect(daemon.requests.at(-1)?.headers.get('authorization')).toBe('Bearer other')
  })

  it('sends the token, and nothing with zone get --public', async () => {
    await ask(['zone', 'get', 'alice.chronym'])
    expect(daemon.requests.at(-1)?.headers.get('authorization')).toBe('Bearer secret')
    await ask(['zone', 'get', '--public', 'alice.chronym'])
    expect(daemon.requests.at(-1)?.headers.get('authorization')).toBeNull()
  })
})

describe('what the system refuses', () => {
  const refused = (act: () => unknown): unknown => {
    try {
      return act()
    } catch (error) {
      return toFailure(error)
    }
  }

  it.skipIf(!existsSync('/dev/full'))('is not a bug: CLI-SYS-001 with what to do about a full disk', () =>
    expect(refused(() => writeFileSync('/dev/full', 'x'))).toMatchObject({
      code: 'CLI-SYS-001',
      exitCode: 8,
      message: expect.stringContaining('ENOSPC') as string,
      cure: expect.stringContaining('Free some space') as string
    })
  )

  it('names the file, and is told from an error of the program', () => {
    expect(refused(() => openSync('/nowhere/at/all', 'r'))).toMatchObject({
      code: 'CLI-SYS-001',
      message: expect.stringContaining('/nowhere/at/all') as string
    })
    expect(toFailure(new TypeError('x'))).toMatchObject({ code: 'CLI-INT-002' })
  })
})
