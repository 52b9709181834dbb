/** Entries as bytes, for the store. Deterministic CBOR; peers never see it. */
import type { CborValue } from '../encoding/cbor.ts'
import { decodeOwnCbor, encodeCbor } from '../encoding/cbor.ts'
import type { Claim } from '../claim/claim.ts'
import type { Contender, Entry, EntryState, Sight } from './entry.ts'
import { MAX_CONTENDERS, MAX_RIVALS } from './entry.ts'
import { EncodingError } from '../errors.ts'
import type { Name } from '../name/names.ts'
import type { Equivocation } from '../claim/order.ts'
import { arrayField, bytesField, fieldsOf, integerField, textField } from '../encoding/record-fields.ts'

const STATES: readonly string[] = ['fresh', 'settling', 'settled', 'provisional'] satisfies EntryState[]
const CLAIM_MEMBERS = [
  'name',
  'pubkey',
  'id',
  'commitment',
  'firstRound',
  'firstIterations',
  'tie',
  'newestRound',
  'serial',
  'payloadHash',
  'recordHash'
]

export function encodeEntry(entry: Entry): Uint8Array {
  const { state, claim, tenureRound, quietRound, rivals, repairs, equivocation, contenders, sight } = entry
  const fields: Record<string, CborValue> = {
    state,
    claim: { ...claim },
    tenureRound,
    quietRound,
    rivals: [...rivals],
    repairs
  }
  if (equivocation !== undefined)
    fields['equivocation'] = { ...equivocation, payloadHashes: [...equivocation.payloadHashes] }
  if (contenders !== undefined) fields['contenders'] = contenders.map((each) => ({ ...each }))
  if (sight !== undefined) fields['sight'] = { ...sight }
  return encodeCbor(fields)
}

/** Throws EncodingError: the store is damaged. */
export function decodeEntry(bytes: Uint8Array): Entry {
  const fields = fieldsOf(
    decodeOwnCbor(bytes),
    ['state', 'claim', 'tenureRound', 'quietRound', 'rivals'],
    ['repairs', 'equivocation', 'contenders', 'sight']
  )
  const state = textField(fields, 'state')
  if (!STATES.includes(state)) throw new EncodingError(`state: ${state} is none`)
  const rivals = arrayField(fields, 'rivals').map((id) => bytesField({ id }, 'id', 32))
  if (rivals.length > MAX_RIVALS) throw new EncodingError('rivals: too many')
  const entry: Entry = {
    state: state as EntryState,
    claim: claimFrom(fields['claim']),
    tenureRound: integerField(fields, 'tenureRound'),
    quietRound: integerField(fields, 'quietRound'),
    rivals,
    // Entries of older versions lack it.
    repairs: Object.hasOwn(fields, 'repairs') ? integerField(fields, 'repairs') : 0
  }
  return {
    ...entry,
    ...(Object.hasOwn(fields, 'equivocation') && { equivocation: equivocationFrom(fields['equivocation']) }),
    ...(Object.hasOwn(fields, 'contenders') && { contenders: contendersFrom(arrayField(fields, 'contenders')) }),
    ...(Object.hasOwn(fields, 'sight') && { sight: sightFrom(fields['sight']) })
  }
}

function claimFrom(value: CborValue | undefined): Claim {
  const fields = fieldsOf(value, CLAIM_MEMBERS)
  return {
    // The name was valid when stored.
    name: textField(fields, 'name') as Name,
    pubkey: bytesField(fields, 'pubkey', 32),
    id: bytesField(fields, 'id', 32),
    commitment: bytesField(fields, 'commitment', 32),
    firstRound: integerField(fields, 'firstRound'),
    firstIterations: integerField(fields, 'firstIterations'),
    tie: bytesField(fields, 'tie', 32),
    newestRound: integerField(fields, 'newestRound'),
    serial: integerField(fields, 'serial'),
    payloadHash: bytesField(fields, 'payloadHash', 32),
    recordHash: bytesField(fields, 'recordHash', 32)
  }
}

function equivocationFrom(value: CborValue | undefined): Equivocation {
  const fields = fieldsOf(value, ['round', 'serial', 'payloadHashes'])
  const [low, high, ...rest] = arrayField(fields, 'payloadHashes').map((hash) => bytesField({ hash }, 'hash', 32))
  if (low === undefined || high === undefined || rest.length > 0)
    throw new EncodingError('payloadHashes: two are expected')
  return { round: integerField(fields, 'round'), serial: integerField(fields, 'serial'), payloadHashes: [low, high] }
}

function contendersFrom(values: readonly CborValue[]): Contender[] {
  if (values.length > MAX_CONTENDERS) throw new EncodingError('contenders: too many')
  return values.map((value) => {
    const fields = fieldsOf(value, ['id', 'firstRound', 'tie'])
    return {
      id: bytesField(fields, 'id', 32),
      firstRound: integerField(fields, 'firstRound'),
      tie: bytesField(fields, 'tie', 32)
    }
  })
}

function sightFrom(value: CborValue | undefined): Sight {
  const fields = fieldsOf(value, ['commitment', 'seen'])
  return { commitment: bytesField(fields, 'commitment', 32), seen: integerField(fields, 'seen') }
}
