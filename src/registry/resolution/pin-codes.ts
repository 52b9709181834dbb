/** The user pins names by check codes: each means the claim with that code from now on, before any look-up. */
import { ServiceError, type FieldError } from '../../errors.ts'
import { livePin } from '../../protocol/resolution/pin.ts'
import type { Name } from '../../protocol/name/names.ts'
import { codedNameOf, type RegistryContext } from '../context.ts'
import { MOST_GIVEN } from '../stored/given-codes.ts'

/** What came of codes that the user gave. */
export interface PinnedCodes {
  /** Names that are pinned now and were not, or by fewer characters. */
  readonly pinned: readonly Name[]
  /** Names that had this code, or a longer one, already. */
  readonly known: number
}

/**
 * Pins names by codes: `alice--7kq2mx.chronym`, or `alice.chronym 7kq2mx`. All or none; `dryRun` only says what would
 * come of it. SVC-NAM-001, SVC-NAM-002; SVC-PIN-002 where anything known contradicts a code; SVC-STO-001.
 */
export function pinCodes(context: RegistryContext, texts: readonly string[], dryRun = false): PinnedCodes {
  const { codes } = context
  const added = new Map<Name, string>()
  const conflicts: FieldError[] = []
  let known = 0
  for (const [index, text] of texts.entries()) {
    const path = `codes/${index}`
    const { name, code } = named(context, text, path)
    const before = added.get(name) ?? codes.get(name)?.code
    const contradiction = contradictionOf(context, name, code, added.get(name))
    if (contradiction !== undefined) conflicts.push({ path, message: contradiction })
    else if (before?.startsWith(code) === true) known++
    else added.set(name, code)
  }
  if (conflicts.length > 0)
    throw new ServiceError('SVC-PIN-002', `${conflicts[0]!.message} Nothing was pinned.`, { errors: conflicts })
  const names = [...added.keys()]
  if (codes.count + names.filter((name) => codes.get(name) === undefined).length > MOST_GIVEN)
    throw new ServiceError('SVC-PIN-002', `This daemon keeps ${MOST_GIVEN} given codes. Nothing was pinned.`)
  if (!dryRun) codes.give(added, context.time().now)
  return { pinned: names, known }
}

function named(context: RegistryContext, text: string, path: string): { name: Name; code: string } {
  try {
    const { name, code } = codedNameOf(context.profile, text)
    if (code !== undefined) return { name, code }
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    throw new ServiceError(error.code, `"${text}": ${error.message}`, {
      cause: error,
      errors: [{ path, message: error.message }]
    })
  }
  const message = 'a check code must follow the name, as in alice--7kq2mx.chronym'
  throw new ServiceError('SVC-NAM-001', `"${text}": ${message}.`, { errors: [{ path, message }] })
}

/** Why another claim is meant already; undefined where nothing says so. */
function contradictionOf(
  context: RegistryContext,
  name: Name,
  code: string,
  sameRequest: string | undefined
): string | undefined {
  const { codes, pins, profile } = context
  const differs = (other: string): boolean => !other.startsWith(code) && !code.startsWith(other)
  if (sameRequest !== undefined && differs(sameRequest))
    return `${name} is given two codes, ${sameRequest} and ${code}.`
  const given = codes.get(name)
  // Of the configuration, nothing here replaces a code, not even by a longer one.
  if (given?.round === undefined && given !== undefined && !given.code.startsWith(code))
    return `pins.codes of the configuration has the code ${given.code} for ${name}, not ${code}.`
  if (given !== undefined && differs(given.code)) return `${name} is pinned with the code ${given.code}, not ${code}.`
  const seen = livePin(pins.get(name), context.time(), profile)
  if (seen?.state !== 'firm' || pins.get(name)!.code.startsWith(code)) return undefined
  return `The claim of ${name} that this daemon has known as settled has the code ${pins.get(name)!.code}, not ${code}.`
}
