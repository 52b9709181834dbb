import { EXIT, Failure } from '../../failures/failure.ts'
import { connect } from '../../connection/connect.ts'
import type { CliCommand } from '../../context.ts'
import { aboutDid, requireDid } from '../../input/names.ts'
import { collectOption, integerOption } from '../../input/values.ts'
import { indentedJson } from '../../terminal/format.ts'

const DEFAULT_DAYS = 365
/** docs/protocol/wire.md, 13. */
const MAX_DAYS = 400
const MAX_INDEX = 63
/** More versions than any network's limit. */
const MAX_VERSION = 1_000_000

export function addKidCommands(program: CliCommand): void {
  const kid = program.command('kid').description('identity documents (DIDs)').helpCommand(false)

  kid
    .command('list')
    .description('the identities that the daemon keeps published: version, state, name, index of the key')
    .loads(async () => (await import('../../identity/next-version.ts')).runList)

  kid
    .command('rotate')
    .argument('<did>')
    .description('give an identity the keys of another index of its seed, signed by the old key; publishes it')
    .option('--index <n>', 'of the new keys (default: the first that it never had)', integerOption(0, MAX_INDEX))
    .signs()
    .loads(async () => (await import('../../identity/next-version.ts')).runRotate)

  kid
    .command('deactivate')
    .argument('<did>')
    .description('end an identity: no keys and services are left, and only a recovery key revives it')
    .option('-y, --yes', 'do not ask')
    .signs()
    .loads(async () => (await import('../../identity/next-version.ts')).runDeactivate)

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
    .signs()
    .option('--publish', 'publish it as well')
    .loads(async () => (await import('../../identity/create.ts')).runCreate)

  kid
    .command('publish')
    .argument('<file>', 'a signed document, as `kid create` prints it; "-": standard input')
    .description('publish a signed identity document')
    .loads(async () => (await import('../../identity/create.ts')).runPublish)

  kid
    .command('show')
    .argument('<did>')
    .description('the identity document of a DID, with its manifest')
    .runs(async (context, _options: unknown, did: string) => {
      const identity = await aboutDid(connect(context).resolveKid(requireDid(did)))
      context.output.answer(identity, () => indentedJson(identity))
    })

  kid
    .command('recovery-key')
    .argument('<file>', 'where the secret key goes, or is with --public')
    .description('make a recovery key for identities, without a daemon; prints its public key')
    .option('--passphrase', 'encrypt the file under a passphrase, which is asked for')
    .option('--passphrase-file <file>', 'as --passphrase, from the first line of a file ("-": standard input)')
    .option('--public', 'make none: print the public key of the one in the file')
    .loads(async () => (await import('../../identity/recovery-key.ts')).runRecoveryKey)

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
    .signs({ seed: "the new owner's seed: 24 words or 64 hex digits" })
    .loads(async () => (await import('../../identity/recover.ts')).runRecover)

  kid
    .command('sign')
    .argument('<file>', 'what `kid recover` printed; "-": standard input')
    .description('verify and sign a recovery, without a daemon; prints what `kid publish` takes')
    .option(
      '--recovery-key-file <file>',
      'as `kid recovery-key` writes it, or 24 words (default: the recovery key of the seed)'
    )
    .option('--passphrase-file <file>', 'passphrase of that file (default: asked for)')
    .signs({ seed: 'seed whose recovery key signs', network: 'as the file says' })
    .loads(async () => (await import('../../identity/recover.ts')).runSign)
}

export function addManifestCommands(program: CliCommand): void {
  const manifest = program
    .command('manifest')
    .description('capability manifests: what an identity offers')
    .helpCommand(false)

  manifest
    .command('publish')
    .argument('[file]', 'a manifest; signed here unless it has a proof; "-": standard input')
    .description('sign (unless signed) and publish a capability manifest')
    .option('--did <did>', 'the identity, where the file does not name it')
    .option('-c, --capability <text>', 'ID TYPE PROTOCOL ENDPOINT [DESCRIPTION]; may be repeated', collectOption)
    .option('--days <n>', 'how long it is valid', integerOption(1, MAX_DAYS), DEFAULT_DAYS)
    .signs()
    .loads(async () => (await import('../../identity/manifest.ts')).runPublish)

  manifest
    .command('show')
    .argument('<did>')
    .description('the capability manifest of an identity')
    .runs(async (context, _options: unknown, did: string) => {
      const { manifest_document: found, manifest_answered: isAnswered } = await aboutDid(
        connect(context).resolveKid(requireDid(did))
      )
      const isKnown = 'version' in found
      if (!isKnown && !isAnswered)
        throw new Failure('SVC-RES-001', `too few peers answered to say whether ${did} has a manifest`, {
          exitCode: EXIT.unavailable,
          cure: 'Ask again in a minute. `chronym status` shows whether peers are connected.'
        })
      if (!isKnown) throw new Failure('SVC-RES-002', `${did} has no manifest`, { exitCode: EXIT.notFound })
      context.output.answer(found, () => indentedJson(found))
    })
}
