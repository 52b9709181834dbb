import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { text as textOf } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { EXIT_CODE_MEANINGS } from '../../src/cli/failures/failure.ts'
import { cli, words } from './harness.ts'

const MAIN = join(import.meta.dirname, '../../src/cli/main.ts')

/** The real program in its own process. */
function run(args: readonly string[]): Promise<{ exitCode: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [MAIN, ...args], (error, stdout, stderr) => {
      resolve({ exitCode: error === null ? 0 : typeof error.code === 'number' ? error.code : -1, stdout, stderr })
    })
    child.stdin?.end()
  })
}

describe('the command line as a process', () => {
  it('prints help with exit code 0 when nothing is asked', async () => {
    const { exitCode, stdout } = await run([])
    expect(exitCode).toBe(0)
    expect(stdout).toContain('register')
  })

  it('ends with 2 and says why for a wrong option, as JSON with --json', async () => {
    const [text, json] = await Promise.all([
      run(['vdf', 'verify', '--seed', 'zz']),
      run(['vdf', 'verify', '--json', '--seed', 'zz'])
    ])
    expect(text).toMatchObject({ exitCode: 2, stdout: '' })
    expect(text.stderr).toContain('CLI-USE-001')
    expect(json.exitCode).toBe(2)
    expect(JSON.parse(json.stderr)).toMatchObject({ error: { code: 'CLI-USE-001', exit_code: 2 } })
  })

  it('refuses to save octets that are no UTF-8, of which Node keeps nothing', async () => {
    const script = `exec "$0" "$1" zone add alice.chronym x TXT "v=1" "$(printf 'caf\\351')"`
    const child = execFile('sh', ['-c', script, process.execPath, MAIN])
    const [stderr, [exitCode]] = await Promise.all([textOf(child.stderr!), once(child, 'exit')])
    expect(stderr).toMatch(/CLI-USE-001: "caf\ufffd" has U\+FFFD.*not UTF-8\n +cure: .*"caf\\233"/)
    expect(exitCode).toBe(2)
  })

  it.skipIf(!existsSync('/dev/full'))('ends with 8 and says why when its answer cannot be written', async () => {
    const full = openSync('/dev/full', 'w')
    try {
      const child = spawn(process.execPath, [MAIN, 'help'], { stdio: ['ignore', full, 'pipe'] })
      const [stderr, [exitCode]] = await Promise.all([textOf(child.stderr!), once(child, 'exit')])
      expect(stderr).toMatch(/^chronym: the answer could not be written: ENOSPC.*\n$/)
      expect(exitCode).toBe(8)
    } finally {
      closeSync(full)
    }
  })

  it('ends with 3 when no daemon answers', async () => {
    const { exitCode, stderr } = await run(['--api', 'http://127.0.0.1:1', '--token', 'x', 'status'])
    expect(exitCode).toBe(3)
    expect(stderr).toContain('http://127.0.0.1:1')
    expect(stderr).toContain('chronym daemon')
  })
})

describe('usage errors', () => {
  it.each([
    [['bogus']],
    [['--bogus']],
    [['vdf']],
    [['zone']],
    [['register']],
    [['register', 'a.chronym', 'b.chronym']],
    [['vdf', 'verify']],
    [['vdf', 'verify', '--seed', '00010203', '--bits', '256', '--iterations', '1']],
    [words`vdf verify --seed 00010203 --discriminant ef --bits 8 --iterations 1 --proof 00`],
    [['vdf', 'verify', '--seed', '000', '--bits', '256', '--iterations', '1', '--proof', '00']],
    [['vdf', 'verify', '--seed', '00', '--bits', '256', '--iterations', '1', '--proof', '00']],
    [['vdf', 'verify', '--seed', '00010203', '--bits', '255', '--iterations', '1', '--proof', '00']],
    [['vdf', 'verify', '--seed', '00010203', '--bits', '0', '--iterations', '1', '--proof', '00']],
    [['vdf', 'verify', '--seed', '00010203', '--bits', '2048', '--iterations', '1', '--proof', '00']],
    [['vdf', 'verify', '--seed', '00010203', '--bits', '256', '--iterations', '-1', '--proof', '00']],
    [['vdf', 'verify', '--seed', '00010203', '--bits', '256', '--iterations', '1e3', '--proof', '00']],
    [['vdf', 'verify', '--seed', '00010203', '--bits', '256', '--iterations', '18446744073709551616', '--proof', '00']],
    [['vdf', 'verify', '--seed', '00010203', '--bits', '256', '--iterations', '1', '--depth', 'x', '--proof', '00']],
    [['vdf', 'verify', '--jsonl', 'x', '--bits', '256']],
    [['vdf', 'prove', '--seed', '00010203']],
    [['vdf', 'prove', '--seed', '00', '--iterations', '10']],
    [['vdf', 'prove', '--seed', '00010203', '--iterations', '1', '--depth', '1']],
    [['vdf', 'prove', '--seed', '00010203', '--iterations', '9', '--split', '9']],
    [['vdf', 'prove', '--seed', '00010203', '--iterations', '9', '--depth', '2']],
    [['vdf', 'bench', '--seconds', '0']],
    [['zone', 'set', 'a.chronym']],
    [['zone', 'set', 'a.chronym', '--record', 'nonsense']],
    [['zone', 'set', 'a.chronym', '--record', 'www A 192.0.2.1', '--if-serial', 'x']],
    [['zone', 'set', 'a.chronym', '/no/such/file']],
    [['token', 'create']],
    [['token', 'create', '--scope', 'all']],
    [['config', 'set', 'mode']],
    [['config', 'set', 'mode=light', 'mode.x=2']],
    [['dns']],
    [['dns', 'anchor', '--for', 'hosts']],
    [['completion', 'tcsh']],
    [['status', '--watch']],
    [['help', 'nothing']],
    [['--api', 'ftp://x', 'status']],
    [['--api', '', 'status']],
    [['--token', '', 'status']],
    [['--data-dir', '', 'status']],
    [['estimate', '']]
  ])('%j is refused with exit code 2 and nothing on stdout', async (args) => {
    const { exitCode, stdout, stderr } = await cli(['--token', 'x', '--api', 'http://127.0.0.1:1', ...args])
    expect(exitCode).toBe(2)
    expect(stdout).toBe('')
    expect(stderr).toMatch(/CLI-(USE|INP)-001/)
  })

  it.each([
    ['zone set alice --bogus', 'chronym help zone set'],
    ['zone --bogus', 'chronym help zone'],
    ['zone bogus', 'chronym help zone'],
    ['resolve', 'chronym help resolve'],
    ['vdf verify --bits x', 'chronym help vdf verify'],
    ['status a b', 'chronym help status'],
    ['--bogus', 'chronym help'],
    ['bogus', 'chronym help']
  ])('for %j names the help that explains it: %s', async (line, help) => {
    expect((await cli(line.split(' '))).stderr).toContain(`Run \`${help}\`.`)
  })

  it.each([
    ['--data-dir x', 'chronym'],
    ['--data-dir x zone', 'zone'],
    ['--json zone', 'zone']
  ])('for %j, a group without a command, names %s', async (line, group) => {
    const { exitCode, stderr } = await cli(['--no-json', ...line.split(' ')])
    expect(exitCode).toBe(2)
    expect(stderr).toContain(`${group} needs one of its commands`)
    expect(stderr).not.toContain(`x ${group} needs`)
  })

  it('suggests the command that was meant', async () => {
    expect((await cli(['regster', 'a.chronym'])).stderr).toContain('Did you mean register?')
  })
})

describe('help', () => {
  it('shows every exit code with its meaning', async () => {
    const { exitCode, stdout } = await cli(['help', 'exit-codes'], { terminal: true })
    expect(exitCode).toBe(0)
    for (const [code, meaning] of EXIT_CODE_MEANINGS) {
      expect(stdout).toContain(String(code))
      expect(stdout).toContain(meaning)
    }
  })

  it('of the exit codes is text in a pager too, and JSON when asked for', async () => {
    expect((await cli(['help', 'exit-codes'])).stdout).toMatch(/^code +meaning\n/u)
    expect(JSON.parse((await cli(['help', 'exit-codes', '--json'])).stdout)).toHaveLength(EXIT_CODE_MEANINGS.length)
  })

  it('agrees with docs/reference/cli.md about the exit codes', () => {
    const manual = readFileSync(join(import.meta.dirname, '../../docs/reference/cli.md'), 'utf8')
    for (const [code, meaning] of EXIT_CODE_MEANINGS) expect(manual).toContain(`| ${code} | ${meaning} |`)
  })

  it('keeps what only the completion scripts ask for to itself', async () => {
    const { stdout } = await cli(['completion', '--help'])
    expect(stdout).toContain('bash, zsh, fish')
    expect(stdout).not.toContain('names')
    expect((await cli(['completion', 'scopes'])).exitCode).toBe(2)
  })

  it('explains a command below a command', async () => {
    expect((await cli(['help', 'zone', 'set'])).stdout).toContain('--record')
  })
})
