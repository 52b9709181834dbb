import { describe, expect, it } from 'vitest'
import { builtInProfiles } from '../../../../src/protocol/profile/built-in.ts'
import { parseRecordData, RECORD_TYPES, type RecordType } from '../../../../src/protocol/zone/record-data.ts'
import {
  FORMS,
  isEntered,
  needsText,
  partsOf,
  startOf,
  TYPES,
  valueAs,
  valueOf
} from '../../../../src/web/assets/zone/forms.ts'

const DIGEST = 'ab'.repeat(32)
const VALUES: Record<RecordType, string[]> = {
  A: ['192.0.2.1'],
  AAAA: ['2001:db8::1'],
  CNAME: ['www.example.org'],
  TXT: ['v=spf1 include:example.org -all'],
  MX: ['10', 'mail.example.org'],
  SRV: ['0', '5', '5060', 'sip.example.org'],
  NS: ['ns1.example.org'],
  CAA: ['0', 'issue', 'ca.example.org; policy=ev'],
  TLSA: ['3', '1', '1', DIGEST],
  SSHFP: ['4', '2', DIGEST],
  HTTPS: ['1', '.', 'alpn=h2,h3 port=443'],
  SVCB: ['1', 'dns.example.org', 'alpn=dot'],
  URI: ['10', '1', 'https://www.example.org/a?b="c"'],
  PTR: ['host.example.org'],
  DS: ['12345', '13', '2', DIGEST],
  KID: ['did:kid:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK']
}

describe('the forms of records', () => {
  it('are there for every type that a zone may hold', () => {
    expect([...TYPES].sort()).toEqual([...RECORD_TYPES].sort())
  })

  it.each(Object.entries(VALUES).filter(([type]) => type !== 'KID'))(
    'make values of %s that the rules accept, and read them again',
    (type, texts) => {
      const value = valueOf(type, texts)
      expect(() => parseRecordData(type as RecordType, value, builtInProfiles.local)).not.toThrow()
      expect(partsOf(type, value)).toEqual(texts)
    }
  )

  it('keep each part in its place while another one is empty', () => {
    expect(partsOf('MX', valueOf('MX', ['', 'mail.example.org']))).toEqual(['', 'mail.example.org'])
    expect(partsOf('SRV', valueOf('SRV', ['0', '', '443', '']))).toEqual(['0', '', '443', ''])
    expect(valueOf('MX', ['', ''])).toBe('')
    expect(valueOf('MX', ['1 0', 'mail'])).toBe('10 mail')
  })

  it('begin with what is usual, which is not a record yet', () => {
    expect([startOf('A'), startOf('MX'), startOf('TLSA')]).toEqual(['', '10 ', '3 1 1 '])
    expect(FORMS['TLSA']?.parts[0]?.options).toContainEqual(['3', '3 this certificate'])
    expect(isEntered({ type: 'MX', value: '10 ' })).toBe(false)
    expect(isEntered({ type: 'MX', value: '10 mail' })).toBe(true)
    expect(isEntered({ type: 'NONE', value: 'x' })).toBe(true)
  })

  it('keep a value through a change of type only where it may fit', () => {
    expect(valueAs('AAAA', 'A', '192.0.2.1')).toBe('192.0.2.1')
    expect(valueAs('MX', 'A', '192.0.2.1')).toBe('10 ')
    expect(valueAs('A', 'MX', '10 ')).toBe('')
    expect(valueAs('A', 'NONE', 'x')).toBe('')
  })

  it('leave values as text that they would change', () => {
    expect(needsText('MX', '10  mail')).toBe(true)
    expect(needsText('MX', '10 mail')).toBe(false)
    expect(needsText('TXT', 'two  spaces')).toBe(false)
    expect(needsText('NONE', 'x')).toBe(true)
  })

  it.each([
    ['CAA', String.raw`0 issue "a\009b"`, true],
    ['CAA', String.raw`0 issue a\;b`, true],
    ['URI', String.raw`10 1 "sip:\195\188"`, true],
    ['MX', String.raw`10 a\ b.example.org.`, true],
    ['HTTPS', String.raw`1 . alpn=a\092b`, false],
    ['CAA', String.raw`0 issue "a \"quoted\" \\word"`, false],
    ['CAA', '0 issue ""', true],
    ['CAA', '0 issue ca.example.org', false]
  ])('leave %s %s as text where its escapes would change: %j', (type, value, isText) =>
    expect(needsText(type, value)).toBe(isText)
  )
})
