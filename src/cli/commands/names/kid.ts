import type { Command } from 'commander'
import type { IdentityPublishedBody, ResolvedIdentityBody } from '../../../api/client/client.ts'
import { connect } from '../../connection/connect.ts'
import { whichDaemon } from '../../connection/location.ts'
import { action, type Context, type Run } from '../../context.ts'
import { EXIT, type ExitCode } from '../../failures/exit-codes.ts'
import { Failure } from '../../failures/failure.ts'
import { aboutDid, requireDid } from '../../identity/about-did.ts'
import type { AuthorizedIdentity } from '../../identity/create.ts'
import type { NextVersionOptions } from '../../identity/run-next-version.ts'
import type { RecoverOptions, RecoveryKeyOptions, SignOptions } from '../../identity/run-recovery.ts'
import { nameOfInput, readJson } from '../../input/files.ts'
import { collectOption, integerOption } from '../../input/values.ts'
import { loadProfile } from '../../profile.ts'
import { readSeed } from '../../seed.ts'
import { plural, printable } from '../../terminal/format.ts'

interface CreateOptions {
  name?: string
  recoveryKey?: string[]
  index: number
  service?: string[]
  alsoKnownAs?: string[]
  seedFile?: string
  network?: string
  publish?: boolean
}

const MAX_INDEX = 63
/** More versions than any network's limit. */
const MAX_VERSION = 1_000_000

/** An identity and its manifest as indented JSON: their shape is the reader's concern. */
export function identityText(identity: ResolvedIdentityBody): string {
  return JSON.stringify(identity, undefined, 2).split('\n').map(printable).join('\n')
}

/** The wrapper's content: POST /api/publish-kid takes both. */
function unwrap(json: unknown, member: string): unknown {
  return typeof json === 'object' && json !== null && member in json ? (json as Record<string, unknown>)[member] : json
}

function told(context: Context, published: IdentityPublishedBody): void {
  context.output.answer(
    published,
    () =>
      `${printable(published.did)} version ${published.version}, held by ${published.stored_by} of ` +
      `${plural(published.of, 'peer')} asked`
  )
}

/** The daemon of the data directory signs with its seed: that asks for no passphrase where it is unlocked. */
async function createAtDaemon(context: Context, options: CreateOptions): Promise<ExitCode> {
  const { parseService } = await import('../../identity/create.ts')
  const published = await connect(context).createKid({
    index: options.index,
    services: (options.service ?? []).map(parseService),
    ...(options.name === undefined ? {} : { name: options.name }),
    ...(options.alsoKnownAs === undefined ? {} : { also_known_as: options.alsoKnownAs })
  })
  told(context, published)
  return EXIT.ok
}

async function create(context: Context, options: CreateOptions): Promise<ExitCode> {
  const ownSeed = options.seedFile === undefined && options.network === undefined && options.recoveryKey === undefined
  if (options.publish === true && ownSeed && whichDaemon(context).kind === 'directory')
    return createAtDaemon(context, options)
  const { bindToName, parseService } = await import('../../identity/create.ts')
  const { createIdentity } = await import('../../../protocol/identity/create.ts')
  const { parseRecoveryKeys } = await import('../../identity/recovery-key.ts')
  const recoveryKeys = options.recoveryKey === undefined ? undefined : parseRecoveryKeys(options.recoveryKey)
  const profile = loadProfile(context, options.network)
  const seed = await readSeed(context, options.seedFile)
  const parts = {
    index: options.index,
    services: (options.service ?? []).map(parseService),
    alsoKnownAs: options.alsoKnownAs ?? [],
    recoveryKeys
  }
  const document = createIdentity(seed, parts, new Date().toISOString(), profile)
  const authorized: AuthorizedIdentity = { document }
  if (options.name !== undefined) {
    authorized.name = options.name
    authorized.name_signature = bindToName(seed, await connect(context).resolve(options.name), document.id, profile)
  }
  if (options.publish === true) told(context, await connect(context).publishKid(authorized))
  else {
    context.output.text(JSON.stringify({ authorized_kid: authorized }, undefined, context.output.json ? undefined : 2))
    context.output.note(`identity ${document.id}; publish it: chronym kid publish FILE`)
  }
  return EXIT.ok
}

/** What `kid recover` prepares is not signed yet. */
function requireSigned(json: unknown, file: string): unknown {
  if (typeof json !== 'object' || json === null || !('chronym_recovery' in json)) return unwrap(json, 'authorized_kid')
  throw new Failure('CLI-INP-001', `${nameOfInput(file)} is a recovery that nobody has signed`, {
    exitCode: EXIT.usage,
    cure: 'Sign it first, where the recovery key is: chronym kid sign FILE --recovery-key-file KEY > SIGNED.'
  })
}

/** kid list, rotate, deactivate; create, publish, show; recovery-key, recover, sign. */
export function addKidCommands(program: Command, run: Run): void {
  const kid = program.command('kid').description('identity documents (DIDs)').helpCommand(false)

  addVersionCommands(kid, run)

  kid
    .command('create')
    .description("make and sign an identity document with keys from the owner's seed; prints it")
    .option('--name <name>', 'bind it to a name of ours: it lives as long as the name does')
    .option('--service <id=type=url>', 'a service endpoint; may be repeated', collectOption)
    .option('--also-known-as <uri>', 'another identifier of the same subject; may be repeated', collectOption)
    .option('--index <n>', 'tells identities of one seed apart', integerOption(0, MAX_INDEX), 0)
    .option(
      '--recovery-key <key>',
      'public key (z6Mk...) that may recover it, in place of one from the seed; may be repeated',
      collectOption
    )
    .option('--seed-file <file>', "owner's seed: 24 words or 64 hex digits (default: the daemon's)")
    .option('--network <network>', "local, test, main or a profile file (default: the configuration's)")
    .option('--publish', 'publish it as well')
    .action(action(run, (context, options: CreateOptions) => create(context, options)))

  kid
    .command('publish')
    .argument('<file>', 'a signed document, as `kid create` prints it; "-": standard input')
    .description('publish a signed identity document')
    .action(
      action(run, async (context, _options: unknown, file: string) => {
        const signed = requireSigned(await readJson(file, context.stdin), file)
        told(context, await connect(context).publishKid(signed))
        return EXIT.ok
      })
    )

  kid
    .command('show')
    .argument('<did>')
    .description('the identity document of a DID, with its manifest')
    .action(
      action(run, async (context, _options: unknown, did: string) => {
        const identity = await aboutDid(connect(context).resolveKid(requireDid(did)))
        context.output.answer(identity, () => identityText(identity))
        return EXIT.ok
      })
    )

  kid
    .command('recovery-key')
    .argument('<file>', 'where the secret key goes, or is with --public')
    .description('make a recovery key for identities, without a daemon; prints its public key')
    .option('--passphrase', 'encrypt the file under a passphrase, which is asked for')
    .option('--passphrase-file <file>', 'as --passphrase, from the first line of a file ("-": standard input)')
    .option('--public', 'make none: print the public key of the one in the file')
    .action(
      action(run, async (context, options: RecoveryKeyOptions, file: string) =>
        (await import('../../identity/run-recovery.ts')).runRecoveryKey(context, options, file)
      )
    )

  kid
    .command('recover')
    .argument('<did>')
    .description(
      'prepare the version that takes back a stolen identity, with keys of a new seed, for a recovery ' +
        'key to sign; prints it'
    )
    .option(
      '--after <version>',
      'the version that it follows: later ones fall away (default: the newest)',
      integerOption(1, MAX_VERSION)
    )
    .option('--index <n>', 'of the keys of the seed', integerOption(0, MAX_INDEX), 0)
    .option(
      '--recovery-key <key>',
      'public key (z6Mk...) that may recover it from then on, in place of those before; may be repeated',
      collectOption
    )
    .option('--keep-keys', 'leave all keys but the recovery keys')
    .option('--seed-file <file>', "the new owner's seed: 24 words or 64 hex digits (default: the daemon's)")
    .option('--network <network>', "local, test, main or a profile file (default: the configuration's)")
    .action(
      action(run, async (context, options: RecoverOptions, did: string) =>
        (await import('../../identity/run-recovery.ts')).runRecover(context, options, did)
      )
    )

  kid
    .command('sign')
    .argument('<file>', 'what `kid recover` printed; "-": standard input')
    .description('verify and sign a recovery, without a daemon; prints what `kid publish` takes')
    .option(
      '--recovery-key-file <file>',
      'as `kid recovery-key` writes it, or 24 words (default: the recovery key of the seed)'
    )
    .option('--passphrase-file <file>', 'passphrase of that file (default: asked for)')
    .option('--seed-file <file>', "seed whose recovery key signs (default: the daemon's)")
    .option('--network <network>', 'local, test, main or a profile file (default: as the file says)')
    .action(
      action(run, async (context, options: SignOptions, file: string) =>
        (await import('../../identity/run-recovery.ts')).runSign(context, options, file)
      )
    )
}

/** Of the identities that there are. */
function addVersionCommands(kid: Command, run: Run): void {
  kid
    .command('list')
    .description('the identities that the daemon keeps published: version, state, name, index of the key')
    .action(action(run, async (context) => (await import('../../identity/run-next-version.ts')).runList(context)))

  const withSeed = (command: Command): Command =>
    command
      .option('--seed-file <file>', "owner's seed: 24 words or 64 hex digits (default: the daemon's)")
      .option('--network <network>', "local, test, main or a profile file (default: the configuration's)")

  withSeed(
    kid
      .command('rotate')
      .argument('<did>')
      .description('give an identity the keys of another index of its seed, signed by the old key; publishes it')
      .option('--index <n>', 'of the new keys (default: the first that it never had)', integerOption(0, MAX_INDEX))
  ).action(
    action(run, async (context, options: NextVersionOptions, did: string) =>
      (await import('../../identity/run-next-version.ts')).runRotate(context, options, did)
    )
  )

  withSeed(
    kid
      .command('deactivate')
      .argument('<did>')
      .description('end an identity: no keys and services are left, and only a recovery key revives it')
      .option('-y, --yes', 'do not ask')
  ).action(
    action(run, async (context, options: NextVersionOptions, did: string) =>
      (await import('../../identity/run-next-version.ts')).runDeactivate(context, options, did)
    )
  )
}
