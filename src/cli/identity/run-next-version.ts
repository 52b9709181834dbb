/** `kid list`, `kid rotate` and `kid deactivate`. */
import type { IdentityChanges } from '../../protocol/identity/document.ts'
import type { OwnIdentityView } from '../../views/own.ts'
import { connect } from '../connection/connect.ts'
import type { Context } from '../context.ts'
import { EXIT, type ExitCode } from '../failures/exit-codes.ts'
import { loadProfile } from '../profile.ts'
import { requireConsent } from '../questions/consent.ts'
import { readSeed } from '../seed.ts'
import { formatTable, plural, printable } from '../terminal/format.ts'
import { aboutDid, requireDid } from './about-did.ts'
import { readLog } from './log.ts'
import { rotatedKeys, signNextVersion, TOMBSTONE } from './next-version.ts'

export interface NextVersionOptions {
  index?: number
  yes?: boolean
  seedFile?: string
  network?: string
}

export function identitiesText(identities: readonly OwnIdentityView[]): string {
  if (identities.length === 0) return 'no identities: chronym kid create --publish makes one'
  return formatTable([
    ['did', 'version', 'state', 'name', 'key', 'updated'],
    ...identities.map(({ did, version, state, name, index, updated }) => [
      printable(did),
      String(version),
      state,
      name === null ? '-' : printable(name),
      index === null ? '-' : String(index),
      updated
    ])
  ])
}

export async function runList(context: Context): Promise<ExitCode> {
  const identities = await connect(context).identities()
  context.output.answer(identities, () => context.output.commands(identitiesText(identities)))
  return EXIT.ok
}

export async function runRotate(context: Context, options: NextVersionOptions, did: string): Promise<ExitCode> {
  const { log, seed, profile } = await prepare(context, options, did)
  const { index, changes } = rotatedKeys(log, seed, options.index, profile)
  const published = await publish(context, { log, seed, profile }, changes)
  context.output.answer(
    { ...published, index },
    () =>
      `${heldBy(published)}; its keys are of index ${index} now. Publish its manifest again, for the new key to sign`
  )
  return EXIT.ok
}

export async function runDeactivate(context: Context, options: NextVersionOptions, did: string): Promise<ExitCode> {
  const prepared = await prepare(context, options, did)
  const { recoveryKeys = [] } = prepared.log.versions.at(-1)!.document
  await requireConsent(context, {
    cost:
      `${did} ends: resolvers show it as deactivated, without keys and services. ` +
      (recoveryKeys.length === 0
        ? 'It has no recovery key, so nothing revives it'
        : `Only its recovery key can revive it (${recoveryKeys.join(', ')})`),
    question: 'Deactivate it?',
    isGiven: options.yes === true
  })
  const published = await publish(context, prepared, TOMBSTONE)
  context.output.answer({ ...published, deactivated: true }, () => `${heldBy(published)}; it is deactivated`)
  return EXIT.ok
}

async function prepare(context: Context, options: NextVersionOptions, did: string) {
  const profile = loadProfile(context, options.network)
  const seed = await readSeed(context, options.seedFile)
  const { versions } = await aboutDid(connect(context).identityLog(requireDid(did)))
  return { log: readLog(did, versions, profile), seed, profile }
}

async function publish(
  context: Context,
  { log, seed, profile }: Awaited<ReturnType<typeof prepare>>,
  changes: IdentityChanges
) {
  const document = signNextVersion(log, changes, seed, new Date().toISOString(), profile)
  return connect(context).publishKid({ document })
}

function heldBy({ did, version, stored_by: storedBy, of }: Awaited<ReturnType<typeof publish>>): string {
  return `${printable(did)} version ${version}, held by ${storedBy} of ${plural(of, 'peer')} asked`
}
