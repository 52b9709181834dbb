import { expect, it } from 'vitest'
import { hexOf, zoneOf } from '../../../../src/web/assets/lookup/record.ts'

const payload = (text: string) => ({ payload: Buffer.from(text).toString('base64') })

it('reads the records that the owner has signed, the apex first', () => {
  const zone = {
    serial: 4,
    records: { a: [{ type: 'TXT', value: '"ü"' }], '@': [{ type: 'A', value: '192.0.2.1', ttl: 60 }] }
  }
  expect(zoneOf(payload(JSON.stringify(zone)))).toEqual({
    serial: 4,
    rows: [
      { key: '@ A 192.0.2.1', label: '@', type: 'A', value: '192.0.2.1', ttl: 60 },
      { key: 'a TXT "ü"', label: 'a', type: 'TXT', value: '"ü"', ttl: undefined }
    ]
  })
})

it('is not a zone where the payload is something else', () => {
  expect(['', 'null', '{}', '{"records":3x'].map((text) => zoneOf(payload(text)))).toEqual([
    undefined,
    undefined,
    undefined,
    undefined
  ])
  expect(zoneOf({ payload: '****' })).toBeUndefined()
})

it('writes a key as hexadecimal digits', () => {
  expect(hexOf([0, 10, 255])).toBe('000aff')
})
