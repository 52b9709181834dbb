import { describe, expect, it } from 'vitest'
import { BeaconError } from '../src/beacon/types.ts'
import { ServiceError } from '../src/errors.ts'
import { ERROR_TABLE } from '../src/error-table.ts'
import { NativeError } from '../src/native/types.ts'
import { DialError, ListenError, OfflineError } from '../src/network/types.ts'
import { AskError } from '../src/network/wire/exchange.ts'
import { EncodingError, KeyError, NameError, PartError, ProfileError, ProtocolError } from '../src/protocol/errors.ts'
import { IdentityError } from '../src/protocol/identity/document.ts'
import { ZoneError } from '../src/protocol/zone/zone.ts'
import { asServiceError, translated, translatedSync, TRANSLATIONS } from '../src/service-errors.ts'
import { StoreError } from '../src/store/types.ts'

/** That no code of a part is left out, the compiler holds: the table's type has one entry for each. */
const EXAMPLES: readonly (readonly [error: PartError, code: string, detail: string])[] = [
  [new NameError('invalid', 'a label'), 'SVC-NAM-001', 'a label'],
  [new NameError('reserved', 'the label'), 'SVC-NAM-002', 'the label'],
  [new NameError('not-open', 'of two'), 'SVC-NAM-002', 'of two'],
  [new IdentityError('proof', 'who signed'), 'SVC-KID-001', 'who signed'],
  [
    new ZoneError('zone', [{ path: 'records/www/0', message: 'no address' }]),
    'SVC-ZON-002',
    'records/www/0: no address'
  ],
  [
    new StoreError('full', '/secret'),
    'SVC-STO-001',
    'The disk of the data directory is full. Nothing that was stored is lost.'
  ],
  [
    new StoreError('failing', '/secret'),
    'SVC-STO-001',
    'The store of the daemon cannot write. Nothing that was stored is lost.'
  ],
  [
    new StoreError('corrupt', '/secret'),
    'SVC-STO-001',
    'The store of the daemon is damaged. Nothing that was stored is lost.'
  ],
  [new StoreError('newer', 'schema 2'), 'SVC-STO-002', 'schema 2'],
  [
    new StoreError('locked', '/secret'),
    'SVC-STO-001',
    'The store of the daemon is in use by another process. Nothing that was stored is lost.'
  ],
  [new BeaconError('BEACON_UNAVAILABLE', 'no answer'), 'SVC-BCN-001', 'no answer'],
  [new BeaconError('BEACON_INVALID_PULSE', 'no pulse'), 'SVC-BCN-001', 'no pulse'],
  [new BeaconError('BEACON_WRONG_CHAIN', 'another chain'), 'SVC-BCN-001', 'another chain'],
  [new BeaconError('BEACON_INVALID_ROUND', 'no round'), 'SVC-BCN-001', 'no round'],
  [new OfflineError('nobody'), 'SVC-RES-001', 'nobody'],
  [new AskError('no answer'), 'SVC-RES-001', 'no answer'],
  [new DialError('address', 'no multiaddr'), 'SVC-REQ-001', 'no multiaddr'],
  [new DialError('unreached', 'nobody there'), 'SVC-NET-001', 'nobody there'],
  [new ListenError('the port is taken'), 'SVC-CFG-001', 'the port is taken'],
  [new NativeError('ADDON_MISSING', 'none is installed'), 'SVC-VDF-001', 'none is installed'],
  [new NativeError('LISTEN_FAILED', 'port 53 is taken'), 'SVC-CFG-001', 'port 53 is taken']
]

const FAULTS: readonly PartError[] = [
  new ProtocolError('time', 'a rule'),
  new EncodingError('bytes'),
  new ProfileError('a field'),
  new KeyError('words'),
  ...(
    [
      'ADDON_UNAVAILABLE',
      'INVALID_ARGUMENT',
      'INVALID_CHECKPOINT',
      'KERNEL_FAULT',
      'CHECKPOINT_REFUSED',
      'POOL_BUSY',
      'POOL_CLOSED',
      'WORKER_FAILED',
      'SERVER_CLOSED',
      'NOTIFY_FAILED'
    ] as const
  ).map((code) => new NativeError(code, 'a worker'))
]

describe('the errors of the parts below, in the codes of the table', () => {
  it.each(EXAMPLES)('%s is %s', (error, code, detail) => {
    const translation = asServiceError(error)
    expect(translation).toBeInstanceOf(ServiceError)
    expect(translation).toMatchObject({ code, message: detail, cause: error })
  })

  it.each(FAULTS)('%s is a fault of the program and stays what it is', (error) => {
    expect(asServiceError(error)).toBe(error)
    expect(TRANSLATIONS[error.part as 'native'][error.code as 'POOL_BUSY'].code).toBe('SVC-INT-001')
  })

  it('are all shown here, each with a code that an answer can have', () => {
    const table = Object.entries(TRANSLATIONS).flatMap(([part, codes]) =>
      Object.keys(codes).map((code) => `${part} ${code}`)
    )
    const shown = [...EXAMPLES.map(([error]) => error), ...FAULTS].map(({ part, code }) => `${part} ${code}`)
    expect(new Set(shown)).toEqual(new Set(table))
    const withoutStatus = Object.values(TRANSLATIONS)
      .flatMap((codes) => Object.values(codes))
      .filter(({ code }) => ERROR_TABLE[code].status === null)
    // A newer directory ends the start, before anything could answer.
    expect(withoutStatus.map(({ code }) => code)).toEqual(['SVC-STO-002'])
  })

  it('says when to ask again where nobody could be asked', () => {
    expect(asServiceError(new OfflineError('nobody'))).toMatchObject({ retryAfter: 10 })
    expect(asServiceError(new BeaconError('BEACON_UNAVAILABLE', ''))).toMatchObject({ retryAfter: 10 })
  })

  it('names the field of the request that has what is refused', () => {
    const errors = (path: string, message: string) => ({ errors: [{ path, message }] })
    expect(asServiceError(new NameError('invalid', 'a label'), 'id')).toMatchObject(errors('id', 'a label'))
    expect(asServiceError(new DialError('address', 'no multiaddr'))).toMatchObject(errors('address', 'no multiaddr'))
    expect(asServiceError(new DialError('unreached', 'nobody there'))).toMatchObject({ errors: [] })
  })

  it('names each field of a zone at fault', () => {
    const problem = { path: 'records/www/0', message: 'no address' }
    expect(asServiceError(new ZoneError('zone', [{ ...problem, label: 'www' }]))).toMatchObject({ errors: [problem] })
  })

  it.each(['ENOSPC', 'EDQUOT', 'EROFS', 'EIO'])('takes %s of a file for a failing store', (code) => {
    expect(asServiceError(Object.assign(new Error('/secret'), { code }))).toMatchObject({
      code: 'SVC-STO-001',
      message: 'The data directory cannot be written. Nothing that was stored is lost.'
    })
  })

  it('leaves everything else as it is, also errors of parts above', () => {
    class Above extends PartError<'backup', 'full'> {
      override readonly part = 'backup'
    }
    const known = new ServiceError('SVC-OWN-001', 'not ours')
    for (const error of [known, new TypeError('a bug'), 'a text', undefined, new Above('full', '')])
      expect(asServiceError(error)).toBe(error)
  })

  it('come out of a use case translated', async () => {
    const offline = new OfflineError('nobody')
    await expect(translated(() => Promise.reject(offline))).rejects.toMatchObject({ code: 'SVC-RES-001' })
    const fails = (): never => {
      throw offline
    }
    expect(() => translatedSync(fails)).toThrow(ServiceError)
    expect(translatedSync(() => 1)).toBe(1)
  })
})
