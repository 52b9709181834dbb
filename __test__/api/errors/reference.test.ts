import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { renderErrorReference } from '../../../src/api/errors/reference.ts'
import { ERROR_TABLE } from '../../../src/error-table.ts'

const page = renderErrorReference()

describe('docs/reference/errors.md', () => {
  it('is what the error table makes of it: run `node scripts/generate-docs.mjs`', () => {
    expect(readFileSync(new URL('../../../docs/reference/errors.md', import.meta.url), 'utf8')).toBe(page)
  })

  it.each(Object.keys(ERROR_TABLE))('has %s once', (code) => {
    expect(page.split(`### ${code}: `)).toHaveLength(2)
  })

  it('has every code that users were promised, with its HTTP status', () => {
    const promised = {
      'SVC-REQ-001': 400,
      'SVC-REQ-002': 413,
      'SVC-REQ-003': 415,
      'SVC-REQ-004': 404,
      'SVC-REQ-005': 429,
      'SVC-REQ-006': 422,
      'SVC-REQ-007': 405,
      'SVC-AUT-001': 401,
      'SVC-AUT-002': 403,
      'SVC-AUT-003': 404,
      'SVC-AUT-004': 421,
      'SVC-NET-001': 502,
      'SVC-RES-001': 503,
      'SVC-RES-002': 404,
      'SVC-RES-003': 410,
      'SVC-RES-004': 409,
      'SVC-RES-005': 409,
      'SVC-RES-006': 404,
      'SVC-PIN-001': 404,
      'SVC-PIN-002': 409,
      'SVC-PIN-003': 422,
      'SVC-WNT-001': 409,
      'SVC-WNT-002': 404,
      'SVC-ZON-001': 422,
      'SVC-ZON-002': 422,
      'SVC-ZON-003': 404,
      'SVC-ZON-004': 412,
      'SVC-NAM-001': 400,
      'SVC-NAM-002': 403,
      'SVC-OWN-001': 403,
      'SVC-OWN-002': 403,
      'SVC-CHG-001': 409,
      'SVC-CHG-002': 409,
      'SVC-CHG-003': 409,
      'SVC-CHG-004': 409,
      'SVC-REG-001': 409,
      'SVC-REG-002': 409,
      'SVC-PUB-001': 422,
      'SVC-PUB-002': 502,
      'SVC-KID-001': 422,
      'SVC-TSK-001': 404,
      'SVC-TSK-002': 429,
      'SVC-TSK-003': null,
      'SVC-TSK-004': 409,
      'SVC-TSK-005': 409,
      'SVC-TSK-006': 409,
      'SVC-BCN-001': 503,
      'SVC-CFG-001': 400,
      'SVC-CFG-002': 409,
      'SVC-KEY-001': null,
      'SVC-KEY-002': 409,
      'SVC-KEY-003': 409,
      'SVC-KEY-004': null,
      'SVC-KEY-005': null,
      'SVC-KEY-006': 423,
      'SVC-KEY-007': 403,
      'SVC-KEY-008': null,
      'SVC-KEY-009': 409,
      'SVC-KEY-010': null,
      'SVC-STO-001': 507,
      'SVC-STO-002': null,
      'SVC-INT-001': 500,
      'SVC-DNS-001': 409,
      'SVC-DNS-002': null,
      'SVC-DNS-003': null,
      'SVC-DNS-004': null,
      'SVC-VDF-001': 501
    }
    expect(Object.fromEntries(Object.entries(ERROR_TABLE).map(([code, { status }]) => [code, status]))).toEqual(
      promised
    )
  })
})
