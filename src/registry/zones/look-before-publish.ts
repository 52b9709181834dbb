/**
 * The look before a publication. Without it, two daemons with one seed would sign two zones with one serial, and the
 * first would notice late.
 */
import { ServiceError } from '../../errors.ts'
import { OfflineError } from '../../network/types.ts'
import { equalBytes } from '../../protocol/encoding/bytes.ts'
import { claimOf } from '../../protocol/claim/claim.ts'
import type { Name } from '../../protocol/name/names.ts'
import { linksOf, type Reveal } from '../../protocol/claim/reveal.ts'
import type { TaskManager } from '../tasks.ts'
import { nextSerial } from '../publication/assemble.ts'
import type { RegistryContext } from '../context.ts'
import { takeUpNewer } from '../ownership/newer-records.ts'
import { supersededRecord } from '../publication/publishing.ts'
import { survey, type Survey } from '../resolution/survey.ts'

const EMPTY = new Uint8Array()

/**
 * Throws SVC-PUB-001 where the network holds a record of our key that this daemon did not make. The record is newer
 * than ours, or has the serial of `reveal`. The draft then gets a higher serial, so that a second attempt succeeds.
 * Silent where nobody answers: sending will tell. A record published within the same second or two shows only when it
 * is read back. Throws StoreError.
 */
export async function refuseBesideOther(
  context: RegistryContext,
  tasks: TaskManager,
  name: Name,
  reveal: Reveal,
  signal?: AbortSignal
): Promise<void> {
  const before = context.owned.get(name)
  let found: Survey
  try {
    found = await survey(context, name, signal)
  } catch (error) {
    if (error instanceof OfflineError) return
    throw error
  }
  if (takeUpNewer(context, tasks, found)) throw publishedElsewhere(name, context.owned.get(name)!.serial)
  // Another publication from here, or a look, was quicker: what was made before it would be older.
  const now = context.owned.get(name)
  const isAsBefore =
    now !== undefined && before !== undefined && equalBytes(now.reveal.signature, before.reveal.signature)
  if (!isAsBefore && !equalBytes(now?.reveal.payload ?? EMPTY, reveal.payload)) throw supersededRecord(name)
  const serial = serialOfOther(context, found, reveal)
  if (serial === undefined) return
  const draft = context.zones.get(name)
  if (draft !== undefined && draft.serial <= serial)
    context.zones.save(name, { serial: nextSerial(context, name), records: draft.records })
  context.owned.noteForeign(name, serial, context.clock.now())
  context.log.warn(
    { name, serial },
    'another daemon has the same seed: the network holds another zone, signed by ' +
      'the key of this name, with the serial about to be published'
  )
  throw publishedElsewhere(name, serial)
}

/** The serial of `reveal` where an answer has other bytes with it. */
function serialOfOther({ profile }: RegistryContext, { name, answers }: Survey, reveal: Reveal): number | undefined {
  const ours = claimOf(reveal, name, linksOf(reveal), profile)
  const isOther = answers.some(
    ({ claim }) =>
      claim !== undefined &&
      equalBytes(claim.id, ours.id) &&
      claim.newestRound === ours.newestRound &&
      claim.serial === ours.serial &&
      !equalBytes(claim.payloadHash, ours.payloadHash)
  )
  return isOther ? ours.serial : undefined
}

function publishedElsewhere(name: Name, serial: number): ServiceError {
  const detail =
    `Rule "stale": a zone of ${name} with serial ${serial} is published already, signed by the same key, ` +
    'and not by this daemon. Another daemon has this seed, or this one was restored. A draft with a ' +
    `higher serial is kept. Stop the other daemon, look at \`chronym zone diff ${name}\`, and publish ` +
    'again.'
  return new ServiceError('SVC-PUB-001', detail, { extensions: { rule: 'stale' } })
}
