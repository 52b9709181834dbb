/** Secrets from files, descriptors and standard input. */
import { openSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { beforeEach, expect, it } from 'vitest'
import { readSecretLine, SecretFileError } from '../../src/util/secret-input.ts'
import { temporary } from '../temporary.ts'

let directory: string
let file: string
beforeEach(() => {
  directory = temporary()
  file = join(directory, 'passphrase')
})

const NOTHING = Readable.from([])

it.each([
  ['one two\n', 'one two'],
  ['one two', 'one two'],
  ['one two\r\nnext\n', 'one two'],
  ['\uFEFFone two\n', 'one two'],
  [' with space \n', ' with space ']
])('reads the first line of %j', async (text, line) => {
  writeFileSync(file, text)
  expect(String(await readSecretLine(file, NOTHING))).toBe(line)
  expect(String(await readSecretLine(String(openSync(file, 'r')), NOTHING))).toBe(line)
  expect(String(await readSecretLine('-', Readable.from([Buffer.from(text)])))).toBe(line)
})

it('waits for no more than the line', async () => {
  const open = new PassThrough()
  open.write('one ')
  open.write('two\n')
  expect(String(await readSecretLine('-', open))).toBe('one two')
})

it('refuses what holds none, and quotes nothing', async () => {
  writeFileSync(file, '\nsecret')
  await expect(readSecretLine(file, NOTHING)).rejects.toThrow(SecretFileError)
  await expect(readSecretLine(file, NOTHING)).rejects.toThrow(/empty line/)
  await expect(readSecretLine(join(directory, 'none'), NOTHING)).rejects.toThrow(SecretFileError)
  await expect(readSecretLine(directory, NOTHING)).rejects.toThrow(SecretFileError)
  await expect(readSecretLine('-', NOTHING)).rejects.toThrow(/standard input/)
  writeFileSync(file, 'secret'.repeat(1000))
  await expect(readSecretLine(file, NOTHING)).rejects.toThrow(/^(?!.*secretsecret).*longer than 4096/)
})
