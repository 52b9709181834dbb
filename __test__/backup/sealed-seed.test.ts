/** A seed under a passphrase, with a low work factor. */
import { describe, expect, it } from 'vitest'
import { Decrypter, armor } from 'age-encryption'
import { openSeed, sealSeed, unsealApart, unsealSeed } from '../../src/backup/sealed-seed.ts'
import { encrypt } from '../../src/backup/encryption.ts'
import { ServiceError } from '../../src/errors.ts'
import { seedToWords } from '../../src/protocol/crypto/keys.ts'

const SEED = new Uint8Array(32).fill(7)
const PASSPHRASE = 'correct horse battery'
const workFactor = 8

async function codeOf(opening: Promise<unknown>): Promise<string> {
  const error = await opening.then(
    () => new Error('it opened'),
    (reason: unknown) => reason as Error
  )
  expect(error.message).not.toContain(PASSPHRASE)
  expect(error.message).not.toContain(seedToWords(SEED).split(' ')[1])
  return error instanceof ServiceError ? error.code : error.message
}

describe('a sealed seed', () => {
  it('is age text that holds the 24 words, and opens to the seed', async () => {
    const text = await sealSeed(SEED, PASSPHRASE, { workFactor })
    expect(text).toMatch(/^-----BEGIN AGE ENCRYPTED FILE-----\n/)
    const decrypter = new Decrypter()
    decrypter.addPassphrase(PASSPHRASE)
    expect(await decrypter.decrypt(armor.decode(text), 'text')).toBe(`${seedToWords(SEED)}\n`)
    expect(await unsealSeed(text, PASSPHRASE, 'F')).toEqual(SEED)
    expect(await unsealApart({ text, passphrase: Buffer.from(PASSPHRASE), path: 'F' })).toEqual({ seed: SEED })
  })

  it('is refused with a wrong passphrase, in a process of its own too', async () => {
    const text = await sealSeed(SEED, PASSPHRASE, { workFactor })
    expect(await codeOf(unsealSeed(text, 'another passphrase', 'F'))).toBe('SVC-KEY-007')
    expect(await codeOf(unsealApart({ text, passphrase: Buffer.from('another passphrase'), path: 'F' }))).toBe(
      'SVC-KEY-007'
    )
  })

  it('is refused cut off anywhere, and where it holds something else', async () => {
    const text = await sealSeed(SEED, PASSPHRASE, { workFactor })
    for (let length = 0; length < text.length - 1; length += 7)
      expect(await codeOf(unsealSeed(text.slice(0, length), PASSPHRASE, 'F'))).toMatch(/^SVC-KEY-00[37]$/)
    const nonsense = armor.encode(await encrypt(Buffer.from('zoo '.repeat(24)), { passphrase: PASSPHRASE, workFactor }))
    expect(await codeOf(unsealSeed(nonsense, PASSPHRASE, 'F'))).toBe('SVC-KEY-003')
    const forKey = armor.encode(
      await encrypt(Buffer.from(seedToWords(SEED)), {
        recipients: ['age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p']
      })
    )
    expect(await codeOf(unsealSeed(forKey, PASSPHRASE, 'F'))).toBe('SVC-KEY-003')
  })
})

describe('a passphrase that is not UTF-8', () => {
  /** "пароль" and "секрет" in Windows-1251, each twice: as text both are twelve U+FFFD. */
  const OURS = Buffer.from('eff0eeebfcffeff0eeebfcff', 'hex')
  const OTHER = Buffer.from('f1e5eaf0e5f2f1e5eaf0e5f2', 'hex')

  it('is its octets: another one of the same length does not open what it seals', async () => {
    expect(OURS.toString()).toBe(OTHER.toString())
    const text = await sealSeed(SEED, OURS, { workFactor })
    expect(await openSeed(text, OURS, 'F')).toEqual({ seed: SEED, resealed: undefined })
    expect(await codeOf(openSeed(text, OTHER, 'F'))).toBe('SVC-KEY-007')
    expect(await codeOf(unsealApart({ text, passphrase: OTHER, path: 'F' }))).toBe('SVC-KEY-007')
  })

  it('opens what the first versions sealed by its text, and gives the text under its octets', async () => {
    const former = await sealSeed(SEED, OURS.toString(), { workFactor })
    const { seed, resealed } = await unsealApart({ text: former, passphrase: OURS, path: 'F' })
    expect(seed).toEqual(SEED)
    expect(await openSeed(resealed!, OURS, 'F')).toEqual({ seed: SEED, resealed: undefined })
    expect(await codeOf(openSeed(resealed!, OTHER, 'F'))).toBe('SVC-KEY-007')
  })

  it('is named where it is UTF-16 and opens nothing', async () => {
    const text = await sealSeed(SEED, PASSPHRASE, { workFactor })
    await expect(openSeed(text, Buffer.from(PASSPHRASE, 'utf16le'), 'F')).rejects.toThrow(/passphrase file is UTF-16/)
  })
})
