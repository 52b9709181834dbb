/**
 * Check codes and labels with changes, through all that reads a name: ten times as many as other cases, a million of
 * each in `npm run test:long`. What is read is what was written, or an error: never the name without its code.
 */
import { generateKeyPairSync } from 'node:crypto'
import punycode from 'punycode/punycode.js'
import { expect, it } from 'vitest'
import { createDnsService } from '../../src/dns/service.ts'
import { startDnsServer } from '../../src/native/addon.ts'
import { formatCodedName, parseCode, parseCodedName } from '../../src/protocol/claim/check-code.ts'
import { NameError } from '../../src/protocol/errors.ts'
import { canonicalName, parseName, type Name } from '../../src/protocol/name/names.ts'
import { builtInProfiles } from '../../src/protocol/profile/built-in.ts'
import { spellName, TypedNameError } from '../../src/util/typed-name.ts'
import { query, RCODE, read } from '../dns/message.ts'
import { NAME, settled, SmallRegistry } from '../dns/scene.ts'
import { randomFrom, RUNS, SEED } from './cases.ts'

const profile = builtInProfiles.local
const COUNT = 10 * RUNS
const CODE_LETTERS = Array.from('0123456789abcdefghjkmnpqrstvwxyz')
const LABELS = ['alice', 'a-l-i', 'ab', 'xn--mnchen-3ya', 'xn--b1agh1afp', 'a'.repeat(55)]
/** Other cases, what codes are misread as, separators, and what UTS #46 maps, drops or refuses. */
const LETTERS = Array.from(
  `abcxyz0189oilOILuUAKZ---..._ *\0\t/@%:ü\u0430ß\uff0d\uff10\uff4f\u2013\u00ad\u200d\u3002\ud800`
)

const { readName } = (await import(new URL('../../src/web/assets/names/words.js', import.meta.url).href)) as {
  readName: (text: string, suffix: string) => { name: string; error?: string } | undefined
}

interface Written {
  readonly name: Name
  readonly code: string
  readonly text: string
}

/** Draws names with codes and changes of them, from the seed that this run has printed. */
class Draw {
  readonly #random: () => number
  constructor(offset: number) {
    this.#random = randomFrom(SEED + offset)
  }

  below(limit: number): number {
    return Math.floor(this.#random() * limit)
  }

  of<T>(list: readonly T[]): T {
    return list[this.below(list.length)]!
  }

  code(): string {
    return Array.from({ length: this.below(3) === 0 ? 6 + this.below(21) : 6 }, () => this.of(CODE_LETTERS)).join('')
  }

  written(): Written {
    const name = parseName(`${this.of(LABELS)}.chronym`, profile)
    const code = this.code()
    const text = formatCodedName(name, code)
    return text === undefined ? this.written() : { name, code, text }
  }

  /** One to four changes of letters. */
  changed(text: string): string {
    const letters = Array.from(text)
    for (let changes = 1 + this.below(4); changes > 0; changes--) {
      const at = this.below(letters.length + 1)
      const fresh = Array.from({ length: this.below(3) }, () => this.of(LETTERS))
      letters.splice(at, this.below(3), ...fresh)
    }
    return letters.join('')
  }
}

const readable = (label: string): string => {
  try {
    return label.startsWith('xn--') ? punycode.decode(label.slice(4)) : label
  } catch {
    return label
  }
}
const labelOf = (text: string): string => text.slice(0, Math.max(0, text.indexOf('.')))
const folded = (code: string): string => code.toLowerCase().replaceAll('o', '0').replaceAll(/[il]/g, '1')

/** Undefined for the error that the reader documents. Others end the test. */
function orError<T>(kind: new (...args: never[]) => Error, text: string, run: () => T): T | undefined {
  try {
    return run()
  } catch (error) {
    if (error instanceof kind) return undefined
    throw new Error(`${JSON.stringify(text)} with seed ${SEED}`, { cause: error })
  }
}

const parsed = (text: string) => orError(NameError, text, () => parseCodedName(text, profile))

it(`[a code that is typed wrong] is another code or an error in ${COUNT} changed names`, () => {
  const draw = new Draw(0)
  let taken = 0
  for (let run = 0; run < COUNT; run++) {
    const { name, code, text } = draw.written()
    expect(parsed(text), text).toEqual({ name, code })
    const changed = draw.changed(text)
    const found = parsed(changed)
    if (found === undefined) continue
    taken++
    const whole = readable(labelOf(changed))
    if (found.code === undefined) {
      expect(whole, changed).not.toContain('--')
      expect(found.name, changed).toBe(changed)
    } else {
      const mark = whole.lastIndexOf('--')
      expect(readable(labelOf(found.name)), changed).toBe(whole.slice(0, mark))
      expect(found.code, changed).toBe(folded(whole.slice(mark + 2)))
      expect(parsed(formatCodedName(found.name, found.code)!), changed).toEqual(found)
    }
  }
  expect(taken).toBeGreaterThan(COUNT / 50)
})

it(`a code is read in each spelling of its letters alone, over ${COUNT} changed codes`, () => {
  const draw = new Draw(1)
  for (let run = 0; run < COUNT; run++) {
    const code = draw.code()
    const spelt = Array.from(code, (letter) => {
      const others = { 0: 'oO', 1: 'iIlL' }[letter] ?? letter.toUpperCase()
      return draw.below(2) === 0 ? letter : draw.of(Array.from(others))
    }).join('')
    expect(parseCode(spelt), spelt).toBe(code)
    const changed = draw.changed(code)
    const found = orError(NameError, changed, () => parseCode(changed))
    const fits = /^[0-9a-tv-z]{6,26}$/i.test(changed)
    expect(found, changed).toBe(fits ? folded(changed) : undefined)
  }
})

it(`the speller and the dashboard keep the code, or say that it cannot be, over ${COUNT} changed names`, () => {
  const draw = new Draw(2)
  for (let run = 0; run < COUNT; run++) {
    const { name, code, text } = draw.written()
    const seen = `${readable(labelOf(name))}--${code}.chronym`
    expect(parsed(spellName(seen).name), seen).toEqual({ name, code })
    expect(parsed(spellName(text).name), text).toEqual({ name, code })
    const changed = draw.changed(draw.below(2) === 0 ? seen : text)
    const label = labelOf(changed).trim().toLowerCase()
    // What an xn-- label encodes is for the daemon to refuse. UTS #46 drops letters that nobody sees.
    const isEncoded = label
      .normalize('NFKC')
      .replaceAll(/[\u00ad\u200d]/g, '')
      .includes('xn--')
    const isCoded = !isEncoded && label.includes('--')
    const spelt = orError(TypedNameError, changed, () => spellName(changed))
    if (isCoded && spelt !== undefined)
      expect(spelt.name.split('.').map(readable).join('.'), `${JSON.stringify(changed)} is ${spelt.name}`).toContain(
        '--'
      )
    const entered = orError(Error, changed, () => ({ as: readName(changed, '.chronym') }))
    expect(entered, changed).toBeDefined()
    if (isCoded && entered?.as !== undefined) expect(entered.as.error, JSON.stringify(changed)).toBeDefined()
  }
})

it(`DNS looks up the name that was asked for, and no other, over ${COUNT} changed names`, async () => {
  const draw = new Draw(3)
  const registry = new SmallRegistry()
  const known = [NAME, 'alice--7kq2mx.chronym']
  for (const each of known) registry.names.set(each, settled('192.0.2.1'))
  const looked: string[] = []
  // A refresh is of a name that was asked for before: the server makes it when it is due.
  registry.before = async (name, options) => {
    if ((options?.leastLeft ?? 0) === 0) looked.push(name)
  }
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const key = new Uint8Array(privateKey.export({ format: 'der', type: 'pkcs8' }))
  const service = createDnsService({
    registry,
    profile,
    isForwarding: false,
    startServer: (onQuestion) =>
      startDnsServer(
        {
          tld: profile.tld,
          key,
          serial: 1,
          listen: [],
          tls: null,
          forward: [],
          isPublic: false,
          cacheBytes: 2 ** 20
        },
        onQuestion
      ),
    keyed: { list: () => [], forget: () => undefined },
    nowMs: () => 0,
    log: { warn: () => undefined, error: (fields) => expect.unreachable(JSON.stringify(fields)) }
  })
  service.start()
  try {
    let asked = 0
    for (let run = 0; run < COUNT; run++) {
      const text = draw.changed(draw.below(2) === 0 ? known[1]! : draw.written().text)
      if (!text.isWellFormed() || text.split('.').some((label) => label === '' || Buffer.byteLength(label) > 63))
        continue
      looked.length = 0
      registry.asked.length = 0
      const reply = read((await service.query(query(text, 1), '127.0.0.1', true)).message)
      // Letters of ASCII alone have two cases in DNS.
      const registered = canonicalName(text).split('.').slice(-2).join('.')
      for (const name of looked) expect(name, JSON.stringify(text)).toBe(registered)
      asked += looked.length
      if (reply.answers.length > 0) expect(known, JSON.stringify(text)).toContain(registered)
      if (known.includes(registered)) expect(reply.rcode, text).not.toBe(RCODE.servfail)
    }
    expect(asked).toBeGreaterThan(COUNT / 50)
  } finally {
    await service.stop()
  }
})
