/** Files as editors of other systems save them, and as people write words down. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporary } from '../../temporary.ts'
import { cli, says } from '../harness.ts'

const PROOFS = resolve(import.meta.dirname, '../../vectors/chiavdf.jsonl')
const WORDS = `${'abandon '.repeat(23)}art`
const directory = temporary()

function file(name: string, content: string | Uint8Array): string {
  const path = join(directory, name)
  writeFileSync(path, content, { mode: 0o600 })
  return path
}

const READERS: [what: string, args: (path: string) => string[]][] = [
  ['vdf verify --jsonl', (path) => ['vdf', 'verify', '--jsonl', path]],
  ['verify', (path) => ['verify', 'alice.chronym', path]],
  ['kid create --seed-file', (path) => ['kid', 'create', '--network', 'local', '--seed-file', path]],
  ['kid publish', (path) => ['kid', 'publish', path]],
  ['key import', (path) => ['--data-dir', join(directory, 'new'), 'key', 'import', path]],
  ['pins import', (path) => ['--api', 'http://127.0.0.1:1', '--token', 'x'.repeat(43), 'pins', 'import', path]]
]

describe.each(READERS)('%s', (_what, args) => {
  it.each([
    ['UTF-16 with its mark', Buffer.from(`\uFEFF${WORDS}\n`, 'utf16le'), 'it is UTF-16: save it as UTF-8'],
    ['UTF-16 without one', Buffer.from(`${WORDS}\n`, 'utf16le'), 'it is UTF-16: save it as UTF-8'],
    ['Latin-1', Buffer.from('caf\xE9\n', 'latin1'), 'it is not UTF-8']
  ])('names %s, and what to do', async (_coding, octets, message) => {
    expect(await cli(args(file('text', octets)))).toMatchObject(says(2, message))
  })
})

it('takes UTF-8 of Windows, with its mark, a line at a time', async () => {
  const [first = '', second = ''] = readFileSync(PROOFS, 'utf8').split('\n')
  const marked = await cli(['--json', 'vdf', 'verify', '--jsonl', file('marked', `\uFEFF${first}\r\n${second}\r\n`)])
  expect(marked).toEqual(await cli(['--json', 'vdf', 'verify', '--jsonl', file('plain', `${first}\n${second}\n`)]))
  expect(marked.exitCode).toBe(0)
})

it('takes numbered words of a seed, on lines or in the columns of `key show`', async () => {
  const create = async (text: string) => {
    const { stdout, stderr } = await cli(['kid', 'create', '--network', 'local', '--seed-file', file('seed', text)])
    expect(stderr).not.toContain('error')
    return (JSON.parse(stdout) as { authorized_kid: { document: { id: string } } }).authorized_kid.document.id
  }
  const words = WORDS.split(' ')
  const plain = await create(WORDS)
  const numbered = words.map((word, index) => `${index + 1}. ${word}`)
  expect(await create(numbered.join('\n'))).toBe(plain)
  expect(await create(`${numbered.slice(0, 12).join('   ')}\r\n${numbered.slice(12).join('   ')}\r\n`)).toBe(plain)
})
