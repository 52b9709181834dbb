import { describe, expect, it } from 'vitest'
import { EXIT, Failure } from '../../../src/cli/failures/failure.ts'
import { Output, type OutputOptions } from '../../../src/cli/terminal/output.ts'
import { describePath, reportFailure } from '../../../src/cli/terminal/report.ts'

function make(options: Partial<Omit<OutputOptions, 'stdout' | 'stderr'>> & { terminal?: boolean } = {}) {
  const written = { stdout: '', stderr: '' }
  const { terminal = false, ...rest } = options
  const output = new Output({
    env: {},
    ...rest,
    stdout: { isTTY: terminal, write: (text) => (written.stdout += text) },
    stderr: { isTTY: terminal, write: (text) => (written.stderr += text) }
  })
  return { output, written }
}

describe('where answers go', () => {
  it.each([true, false])('is text, and JSON with --json, on a terminal (%j) or not', (terminal) => {
    for (const [json, answer] of [
      [undefined, 'three peers\n'],
      [false, 'three peers\n'],
      [true, '{"peers":3}\n']
    ] as const) {
      const { output, written } = make({ terminal, json })
      output.answer({ peers: 3 }, () => 'three peers')
      expect(written.stdout).toBe(answer)
    }
  })

  it('hints once where a program got JSON before, and nowhere else', () => {
    const { output, written } = make({ isCaptured: true })
    output.plain({ token: 'abc' }, 'abc')
    expect(written.stderr).toBe('')
    for (const peers of [3, 4]) output.answer({ peers }, () => `${peers} peers`)
    expect(written).toEqual({ stdout: 'abc\n3 peers\n4 peers\n', stderr: expect.stringContaining('--json') as string })
    expect(written.stderr.trim().split('\n')).toHaveLength(1)
    for (const quiet of [{ isCaptured: false }, { isCaptured: true, json: true }, { isCaptured: true, json: false }]) {
      const other = make(quiet)
      other.output.answer({ peers: 3 }, () => 'three peers')
      expect(other.written.stderr).toBe('')
    }
  })

  it('escapes in a pipe what a pager would bring to a terminal', () => {
    const { output, written } = make()
    output.answer({}, () => 'evil \u001b[2J')
    expect(written.stdout).toBe('evil \\u001b[2J\n')
  })

  it.each([
    ['60', 60],
    ['', Infinity],
    ['0', Infinity],
    ['wide', Infinity]
  ])('is in a pipe as wide as COLUMNS = %j says, or as it is', (COLUMNS, columns) => {
    expect(make({ env: { COLUMNS } }).output.columns).toBe(columns)
  })

  it('keeps what is text by nature as text in a pipe: $(chronym token)', () => {
    const { output, written } = make()
    output.plain({ token: 'abc' }, 'abc')
    expect(written.stdout).toBe('abc\n')
  })

  it('shows live progress only to a person', () => {
    expect(make({ terminal: true }).output.live).toBe(true)
    expect(make({ terminal: true, json: true }).output.live).toBe(false)
    expect(make({ terminal: true, env: { TERM: 'dumb' } }).output.live).toBe(false)
    expect(make().output.live).toBe(false)
  })
})

describe('colours', () => {
  const painted = (options: Parameters<typeof make>[0]): boolean => {
    const { output, written } = make(options)
    output.answer({}, (paint) => paint('red', 'x'))
    return written.stdout.includes('\u001b[')
  }

  it.each([
    ['on a terminal', { terminal: true, json: false }, true],
    ['not in a pipe', { json: false }, false],
    ['not with NO_COLOR', { terminal: true, env: { NO_COLOR: '1' } }, false],
    ['with an empty NO_COLOR, as its standard says', { terminal: true, env: { NO_COLOR: '' } }, true],
    ['not with --no-color, even when forced', { terminal: true, color: false, env: { FORCE_COLOR: '1' } }, false],
    ['in a pipe when forced', { json: false, env: { FORCE_COLOR: '1' } }, true],
    ['not on a dumb terminal', { terminal: true, env: { TERM: 'dumb' } }, false]
  ] as const)('are there %s', (_title, options, expected) => {
    expect(painted(options)).toBe(expected)
  })
})

describe('failures', () => {
  const failure = new Failure('SVC-ZON-002', 'The zone breaks a rule.', {
    exitCode: EXIT.refused,
    status: 422,
    requestId: 'r1',
    cure: 'Mend it.',
    errors: [{ path: 'records/www/0/value', message: 'not an IPv4 address' }]
  })

  it('name code, detail, label and record at fault, and the cure', () => {
    const { output, written } = make()
    reportFailure(output, failure)
    expect(written).toEqual({
      stdout: '',
      stderr:
        'error SVC-ZON-002: The zone breaks a rule.\n  www, record 1, value: not an IPv4 address\n  cure: Mend it.\n'
    })
  })

  it('do not say in the first line what the lines of the fields say again', () => {
    const { output, written } = make()
    const errors = [{ path: 'api.port', message: 'not a number' }]
    reportFailure(
      output,
      new Failure('SVC-CFG-001', 'flag --port: api.port: not a number', { exitCode: EXIT.usage, errors })
    )
    expect(written.stderr).toBe('error SVC-CFG-001: Invalid configuration (flag --port)\n  api.port: not a number\n')
  })

  it('say once what one field alone is refused for', () => {
    const { output, written } = make()
    const errors = [{ path: 'name', message: 'a label begins with a letter' }]
    reportFailure(
      output,
      new Failure('SVC-NAM-001', 'a label begins with a letter', { exitCode: EXIT.refused, errors })
    )
    expect(written.stderr).toBe('error SVC-NAM-001: a label begins with a letter\n')
  })

  it('are one JSON object on stderr with --json', () => {
    const { output, written } = make({ json: true })
    reportFailure(output, failure)
    expect(JSON.parse(written.stderr)).toEqual({
      error: {
        code: 'SVC-ZON-002',
        detail: 'The zone breaks a rule.',
        cure: 'Mend it.',
        status: 422,
        errors: [{ path: 'records/www/0/value', message: 'not an IPv4 address' }],
        request_id: 'r1',
        exit_code: 6
      }
    })
  })

  it('cannot smuggle escape sequences into the terminal', () => {
    const { output, written } = make({ terminal: true, env: { NO_COLOR: '1' } })
    reportFailure(output, new Failure('X', 'evil \u001b[2J', { exitCode: EXIT.fault }))
    expect(written.stderr).not.toContain('\u001b[2J')
  })

  it.each([
    ['records/@/1', '@, record 2'],
    ['records/_sip._tcp/0/ttl', '_sip._tcp, record 1, ttl'],
    ['records/www', 'www'],
    ['name', 'name'],
    ['', '']
  ])('speak of the path %j as "%s"', (path, text) => {
    expect(describePath(path)).toBe(text)
  })
})
