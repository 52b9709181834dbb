import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { Failure } from '../../../src/cli/failures/failure.ts'
import { parseRecordLine, parseZoneText, readZone } from '../../../src/cli/zone-file/zone-input.ts'

describe('record lines', () => {
  it.each([
    ['www A 192.0.2.1', 'www', { type: 'A', value: '192.0.2.1' }],
    ['  @   3600 IN   mx  10 mail.example. ', '@', { type: 'MX', value: '10 mail.example.', ttl: 3600 }],
    ['@ TXT "hello world"', '@', { type: 'TXT', value: '"hello world"' }],
    ['_sip._tcp SRV 0 5 5060 sip', '_sip._tcp', { type: 'SRV', value: '0 5 5060 sip' }],
    ['* AAAA 2001:db8::1', '*', { type: 'AAAA', value: '2001:db8::1' }]
  ])('%j is a record of %s', (line, label, record) => {
    expect(parseRecordLine(line)).toEqual({ label, record })
  })

  it.each(['', 'www', 'www A', 'www 300'])('%j is none', (line) => {
    expect(parseRecordLine(line)).toBeUndefined()
  })
})

describe('zone files', () => {
  it('may be lines with comments; records of one label stay together in order', () => {
    const zone = parseZoneText('; my zone\n\nwww A 192.0.2.1\n# more\n@ TXT hi\nwww A 192.0.2.2\n', 'zone.txt')
    expect(zone.records['www']).toEqual([
      { type: 'A', value: '192.0.2.1' },
      { type: 'A', value: '192.0.2.2' }
    ])
    expect(zone.records['@']).toEqual([{ type: 'TXT', value: 'hi' }])
  })

  it('may be JSON, whose records are left to the daemon to judge', () => {
    expect(parseZoneText(' {"serial": 3, "records": {"@": [{"type": "A", "value": "x"}]}}', 'zone.json')).toEqual({
      serial: 3,
      records: { '@': [{ type: 'A', value: 'x' }] }
    })
  })

  it('may have comments alone: a zone without records, as zone get prints it', () => {
    expect(parseZoneText('; serial 1\n; no records\n', 'zone.txt')).toEqual({ records: {} })
  })

  it('may have TTLs with units', () => {
    expect(parseRecordLine('www 1h30m A 192.0.2.1')).toEqual({
      label: 'www',
      record: { type: 'A', value: '192.0.2.1', ttl: 5400 }
    })
    expect(parseRecordLine('www 1hh A 192.0.2.1')).toBeUndefined()
  })

  it('take labels like __proto__ as labels', () => {
    const text = JSON.stringify(parseZoneText('__proto__ TXT x\nconstructor TXT y', 'zone.txt'))
    expect(text).toBe(
      '{"records":{"__proto__":[{"type":"TXT","value":"x"}],"constructor":[{"type":"TXT","value":"y"}]}}'
    )
  })

  it.each([
    ['www A 192.0.2.1\nnonsense', 'zone.txt line 2'],
    ['', 'zone.txt is empty'],
    [' \n\t\n', 'zone.txt is empty'],
    ['{"records": [', 'not JSON'],
    ['{"zone": {}}', 'not a zone']
  ])('%j is refused with the place at fault', (text, message) => {
    expect(() => parseZoneText(text, 'zone.txt')).toThrow(Failure)
    expect(() => parseZoneText(text, 'zone.txt')).toThrow(message)
  })
})

describe('JSON that has the shape of no zone', () => {
  it.each([
    ['{"records": []}', 'records'],
    ['{"records": {"@": null}}', 'records.@'],
    ['{"records": {"@": ["A 192.0.2.1"]}}', 'records.@.0'],
    ['{"records": {"@": [{"type": "A"}]}}', 'records.@.0.value'],
    ['{"records": {"@": [{"type": 1, "value": "x"}]}}', 'records.@.0.type'],
    ['{"records": {"@": [{"type": "A", "value": "x", "ttl": "60"}]}}', 'records.@.0.ttl'],
    ['{"serial": "3", "records": {}}', 'serial']
  ])('%s is refused, with its place', (text, path) =>
    expect(() => parseZoneText(text, 'zone.json')).toThrow(`zone.json is not a zone (${path}: `)
  )
})

describe('zones from standard input', () => {
  it('may begin with a byte order mark', async () => {
    expect(await readZone('-', Readable.from([Buffer.from('\uFEFF{"records": {"@": []}}')]))).toEqual({
      records: { '@': [] }
    })
  })

  it('are called by that name where something is wrong', async () => {
    await expect(readZone('-', Readable.from([]))).rejects.toThrow('standard input is empty')
    await expect(readZone('-', Readable.from([Buffer.from('nonsense')]))).rejects.toThrow('standard input line 1')
  })
})
