import fc from 'fast-check'
import punycode from 'punycode/punycode.js'
import { describe, expect, it } from 'vitest'
import { NameError } from '../../../src/protocol/errors.ts'
import {
  checkCode,
  formatCodedName,
  parseAskedName,
  parseCode,
  parseCodedName
} from '../../../src/protocol/claim/check-code.ts'
import { canonicalName, parseName, type Name } from '../../../src/protocol/name/names.ts'
import { profileHash } from '../../../src/protocol/profile/profile.ts'
import { CASES } from '../../properties/cases.ts'
import { LOCAL, MAIN } from '../fixtures.ts'

const WHOLE = '7kq2mx0123456789abcdefghjk'
const alice = parseName('alice.chronym', MAIN)

function refusal(text: string): string {
  try {
    parseCodedName(text, MAIN)
    return 'taken'
  } catch (error) {
    if (error instanceof NameError) return error.message
    throw error
  }
}

describe('a name with a check code', () => {
  it.each([
    ['alice.chronym', 'alice.chronym', undefined],
    ['alice--7kq2mx.chronym', 'alice.chronym', '7kq2mx'],
    [`alice--${WHOLE}.chronym`, 'alice.chronym', WHOLE],
    ['a-l-i--7kq2mx.chronym', 'a-l-i.chronym', '7kq2mx'],
    // o is read as 0, i and l as 1.
    ['alice--oilo00.chronym', 'alice.chronym', '011000'],
    ['xn--mnchen--7kq2mx-gsb.chronym', 'xn--mnchen-3ya.chronym', '7kq2mx']
  ])('%s is %s with the code %s', (text, name, code) => {
    expect(parseCodedName(text, MAIN)).toEqual(code === undefined ? { name } : { name, code })
  })

  it('is read behind a space too, where a whole name is before it', () => {
    expect(parseAskedName('alice.chronym 7kq2mx', MAIN)).toEqual({ name: alice, code: '7kq2mx' })
    expect(() => parseAskedName('alice body.chronym', MAIN)).toThrow('no space')
  })

  it('goes as far as a label does', () => {
    const longest = parseName(`${'a'.repeat(55)}.chronym`, MAIN)
    expect(formatCodedName(longest, '7kq2mx')).toBe(`${'a'.repeat(55)}--7kq2mx.chronym`)
    expect(formatCodedName(longest, '7kq2mx0')).toBeUndefined()
    expect(parseCodedName(formatCodedName(longest, '7kq2mx')!, MAIN)).toEqual({ name: longest, code: '7kq2mx' })
    expect(refusal(`${'a'.repeat(56)}--7kq2mx.chronym`)).toMatch(/63 octets, its code included/)
  })

  it.each([
    ['alice--7kq2m.chronym', /not a check code/],
    [`alice--${WHOLE}0.chronym`, /not a check code/],
    ['alice--7kq2mu.chronym', /not a check code/],
    ['alice--7kq2-mx.chronym', /not a check code/],
    ['alice--.chronym', /not a check code/],
    ['--7kq2mx.chronym', /1 to 63 octets/],
    ['alice---7kq2mx.chronym', /neither begins nor ends/],
    ['bob--alice--7kq2mx.chronym', /two hyphens/],
    ['xn--alice--7kq2mx-.chronym', /encoding of what it decodes to|punycode/],
    ['www.alice--7kq2mx.chronym', /one label/],
    ['alice--7kq2mx.other', /ends with \.chronym$/],
    // A suggestion keeps the code: without it the name may mean another claim.
    ['alice--7kq2mx', /did you mean alice--7kq2mx\.chronym\?$/],
    ['localhost--7kq2mx.chronym', /reserved/]
  ])('%s is an error and no other name', (text, message) => expect(refusal(text)).toMatch(message))

  it('reads what it writes, and nothing else as the same claim, over random names, codes and changes', () => {
    const character = fc.constantFrom(...Array.from('0123456789abcdefghjkmnpqrstvwxyz'))
    const code = fc.array(character, { minLength: 6, maxLength: 26 }).map((each) => each.join(''))
    const ascii = fc.stringMatching(/^[a-z0-9]{1,9}(-[a-z0-9]{1,9}){0,2}$/)
    const label = fc.oneof(
      ascii,
      fc
        .tuple(ascii, fc.constantFrom('ü', 'é', 'ж', '中'))
        .map(([head, letter]) => `xn--${punycode.encode(head + letter)}`)
    )
    const anything = fc.constantFrom(...Array.from('-.oilu07az\u00fc'))
    fc.assert(
      fc.property(label, code, fc.nat(70), anything, (text, wanted, at, letter) => {
        const name = `${text}.chronym` as Name
        fc.pre(isName(name))
        const coded = formatCodedName(name, wanted)
        fc.pre(coded !== undefined)
        expect(parseCodedName(coded, LOCAL)).toEqual({ name, code: wanted })
        expect(isName(coded)).toBe(false)
        const place = at % coded.length
        const changed = `${coded.slice(0, place)}${letter}${coded.slice(place + 1)}`
        const read = readOrNot(changed)
        if (read?.code !== undefined && changed !== coded)
          expect(formatCodedName(read.name, read.code)).toBe(canonical(changed))
      }),
      CASES
    )
  })

  it('[a code of another network] fits no claim of this one', () => {
    const output = new Uint8Array(100).fill(7)
    expect(checkCode(alice, output, profileHash(LOCAL))).not.toBe(checkCode(alice, output, profileHash(MAIN)))
  })

  it('is the hash of the name and the output, five bits a character', () => {
    const output = new Uint8Array(100).fill(7)
    const code = checkCode(alice, output, profileHash(MAIN))
    expect(code).toMatch(/^[0-9a-hjkmnp-tv-z]{26}$/)
    expect(checkCode('bob.chronym', output, profileHash(MAIN))).not.toBe(code)
    expect(checkCode(alice, output.with(99, 8), profileHash(MAIN))).not.toBe(code)
  })
})

const isName = (text: string): boolean => {
  try {
    parseName(text, LOCAL)
    return true
  } catch {
    return false
  }
}

function readOrNot(text: string) {
  try {
    return parseCodedName(text, LOCAL)
  } catch (error) {
    if (error instanceof NameError) return undefined
    throw error
  }
}

/** As the code of a text is read: only the code, which comes last in what people see. */
function canonical(text: string): string {
  const dot = text.indexOf('.')
  const label = text.slice(0, dot)
  const readable = label.startsWith('xn--') ? punycode.decode(label.slice(4)) : label
  const mark = readable.lastIndexOf('--') + 2
  const read = `${readable.slice(0, mark)}${parseCode(readable.slice(mark))}`
  return canonicalName(`${/^[\0-\x7f]*$/.test(read) ? read : `xn--${punycode.encode(read)}`}${text.slice(dot)}`)
}
