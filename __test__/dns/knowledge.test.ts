import { describe, expect, it } from 'vitest'
import { knowledgeOf, knowledgeOfError } from '../../src/dns/knowledge.ts'
import { ServiceError } from '../../src/errors.ts'
import type { ErrorCode } from '../../src/error-table.ts'
import { builtInProfiles } from '../../src/protocol/profile/built-in.ts'
import { serializeZone } from '../../src/protocol/zone/zone.ts'
import type { LookedUp, ResolvedName } from '../../src/registry/use-cases.ts'
import { readRecords } from './read-records.ts'
import { NAME, revealOf } from './scene.ts'

const profile = builtInProfiles.local
const TIMES = { freshMs: 40_000, staleMs: 90_000 }

function found(
  confidence: ResolvedName['confidence'],
  more: { isPinFirm?: boolean; payload?: Uint8Array; source?: ResolvedName['source'] } = {}
) {
  const { isPinFirm = false, payload, source = 'network' } = more
  const reveal = payload === undefined ? revealOf('192.0.2.1') : { ...revealOf('192.0.2.1'), payload }
  return {
    resolved: { reveal, checkCode: '7kq2mx0123456789abcdefghjk', confidence, source },
    isPinFirm,
    ...TIMES
  } satisfies LookedUp
}
const known = (lookedUp: LookedUp) => knowledgeOf(NAME, lookedUp, profile)
const refused = (code: ErrorCode) => knowledgeOfError(NAME, new ServiceError(code, 'x'))

describe('what is known of a name', () => {
  it.each([
    ['own', 'a name of this daemon'],
    ['held', 'this daemon holds']
  ] as const)(
    'and that nobody confirms (%s) is stale at once, unsigned, and kept while the server asks again',
    (source, text) => {
      expect(known(found('thin', { source }))).toMatchObject({
        kind: 'zone',
        trust: { secure: false, reason: expect.stringContaining(text) as string },
        freshMs: 0,
        staleMs: TIMES.staleMs
      })
    }
  )

  it('is its zone, with the times that are left of the kept answer', () => {
    const knowledge = known(found('settled', { isPinFirm: true }))
    expect(knowledge).toMatchObject({ kind: 'zone', trust: { secure: true }, ...TIMES })
    if (knowledge.kind === 'zone')
      expect(readRecords(knowledge.records)).toMatchObject([{ owner: NAME, type: 1, data: 'c0000201' }])
  })

  it('is vouched for at the first look where the claim has the code that was asked for, whatever peers say', () => {
    expect(known(found('proven'))).toMatchObject({ kind: 'zone', trust: { secure: true }, ...TIMES })
    expect(known(found('proven', { source: 'own' }))).toMatchObject({
      kind: 'zone',
      trust: { secure: true },
      freshMs: 0
    })
  })

  it.each([
    ['SVC-RES-003', true],
    ['SVC-RES-005', false],
    ['SVC-RES-006', false]
  ] as const)('is never denied where it was asked for with a code (%s)', (code, isContradiction) => {
    const failure = new ServiceError(code, 'why', { extensions: { check_code: '7kq2mx' } })
    expect(known({ failure, ...TIMES })).toMatchObject({ kind: 'failed', ede: 0, text: 'why', isContradiction })
  })

  it('is vouched for only when settled', () => {
    expect(known(found('provisional'))).toMatchObject({
      kind: 'zone',
      trust: { secure: false, reason: expect.stringContaining('not settled') as string }
    })
    expect(known(found('thin', { isPinFirm: true }))).toMatchObject({
      kind: 'zone',
      trust: { secure: false, reason: expect.stringContaining('thin') as string }
    })
  })

  it('is vouched for only with a firm pin', () => {
    expect(known(found('settled'))).toMatchObject({
      trust: { secure: false, reason: expect.stringContaining('no firm pin yet') as string }
    })
    expect(known(found('settled', { isPinFirm: true }))).toMatchObject({ trust: { secure: true } })
    expect(known(found('provisional', { isPinFirm: true }))).toMatchObject({ trust: { secure: false } })
  })

  it.each(['settled', 'proven'] as const)('is not vouched for while its keys may change again (%s)', (confidence) => {
    const { resolved, ...rest } = found(confidence, { isPinFirm: true })
    expect(known({ resolved: { ...resolved, keysPending: true }, ...rest })).toMatchObject({
      kind: 'zone',
      trust: { secure: false, reason: expect.stringContaining('another change') as string }
    })
  })

  it('is a failure where the owner published no zone: the name is neither absent nor empty', () => {
    expect(known(found('settled', { payload: new TextEncoder().encode('hello') }))).toMatchObject({
      kind: 'failed',
      ede: 24,
      isContradiction: true
    })
    expect(known(found('settled', { payload: serializeZone({ records: {} }, 1, profile) }))).toMatchObject({
      kind: 'zone',
      records: new Uint8Array(0)
    })
  })

  it('is that it is absent, for as long as the registry keeps that', () => {
    const failure = new ServiceError('SVC-RES-002', 'x')
    expect(known({ failure, freshMs: 20_000, staleMs: 20_000 })).toEqual({
      kind: 'absent',
      freshMs: 20_000,
      staleMs: 20_000
    })
  })

  it('is a name without records, unsigned, where few peers deny it', () => {
    const failure = new ServiceError('SVC-RES-002', 'x', { extensions: { thin: true } })
    const denied = { failure, freshMs: 20_000, staleMs: 20_000 }
    expect(known(denied)).toEqual({
      kind: 'zone',
      records: new Uint8Array(0),
      trust: { secure: false, reason: 'thin: fewer peers than a quorum deny the name' },
      freshMs: 20_000,
      staleMs: 20_000
    })
  })

  it('is a failure while its lease is over and its owner can still renew it', () => {
    const failure = new ServiceError('SVC-RES-003', 'x')
    expect(known({ failure, freshMs: 20_000, staleMs: 20_000 })).toEqual({
      kind: 'failed',
      ede: 0,
      text: `the lease of ${NAME} has ended; its owner can still renew it`,
      freshMs: 20_000,
      isContradiction: true
    })
  })

  it.each(['SVC-NAM-001', 'SVC-NAM-002', 'SVC-RES-002'] as const)(
    'is that it is absent where it can never be registered: %s',
    (code) => expect(refused(code)).toEqual({ kind: 'absent', freshMs: 60_000, staleMs: 60_000 })
  )

  it('stays what it was while nobody can be asked', () => {
    expect(refused('SVC-RES-001')).toMatchObject({ kind: 'failed', ede: 22, isContradiction: false })
    expect(refused('SVC-STO-001')).toMatchObject({ kind: 'failed', ede: 0, isContradiction: false })
  })

  it('ends where peers name several owners', () => {
    expect(refused('SVC-RES-004')).toMatchObject({
      kind: 'failed',
      ede: 0,
      text: expect.stringContaining('contested') as string,
      isContradiction: true
    })
  })

  it('is not told by a fault of the program', () => {
    expect(knowledgeOfError(NAME, new TypeError('x'))).toBeUndefined()
  })
})
