import type { Command } from 'commander'
import { connect } from '../../connection/connect.ts'
import { action, type Context, type Run } from '../../context.ts'
import { EXIT, type ExitCode } from '../../failures/exit-codes.ts'
import { Failure, usageFailure } from '../../failures/failure.ts'
import { aboutDid, requireDid } from '../../identity/about-did.ts'
import type { ManifestDraft } from '../../identity/manifest.ts'
import { readJson } from '../../input/files.ts'
import { collectOption, integerOption } from '../../input/values.ts'
import { loadProfile } from '../../profile.ts'
import { readSeed } from '../../seed.ts'
import { plural, printable } from '../../terminal/format.ts'

interface PublishOptions {
  did?: string
  capability?: string[]
  days: number
  seedFile?: string
  network?: string
}

const DEFAULT_DAYS = 365
/** docs/protocol/wire.md, 13. */
const MAX_DAYS = 400

async function draftOf(context: Context, file: string | undefined, options: PublishOptions): Promise<ManifestDraft> {
  const { parseCapability, parseManifestDraft } = await import('../../identity/manifest.ts')
  const given = options.capability ?? []
  if ((file === undefined) === (given.length === 0))
    throw usageFailure('give a FILE ("-": standard input) or --capability, one of the two')
  if (file === undefined) return { capabilities: given.map((text) => ({ ...parseCapability(text) })) }
  const json = await readJson(file, context.stdin)
  const inner =
    typeof json === 'object' && json !== null && 'authorized_manifest' in json ? json.authorized_manifest : json
  return parseManifestDraft(
    typeof inner === 'object' && inner !== null && 'manifest' in inner ? inner.manifest : inner,
    file
  )
}

async function publish(context: Context, file: string | undefined, options: PublishOptions): Promise<ExitCode> {
  const draft = await draftOf(context, file, options)
  const client = connect(context)
  let manifest: unknown = draft
  if (draft.proof === undefined) {
    const did = options.did ?? draft.id
    if (did === undefined)
      throw usageFailure('which identity? --did is missing', 'List its DID: it was printed by chronym kid create.')
    const { makeManifest } = await import('../../identity/manifest.ts')
    manifest = makeManifest(
      await readSeed(context, options.seedFile),
      draft,
      await client.resolveKid(did),
      options.days,
      Date.now(),
      loadProfile(context, options.network)
    )
  }
  const published = await client.publishManifest({ manifest })
  context.output.answer(
    published,
    () =>
      `manifest version ${published.version} of ${printable(published.did)}, held by ` +
      `${published.stored_by} of ${plural(published.of, 'peer')} asked`
  )
  return EXIT.ok
}

export function addManifestCommands(program: Command, run: Run): void {
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
    .option('--seed-file <file>', "owner's seed: 24 words or 64 hex digits (default: the daemon's)")
    .option('--network <network>', "local, test, main or a profile file (default: the configuration's)")
    .action(
      action(run, (context, options: PublishOptions, file: string | undefined) => publish(context, file, options))
    )

  manifest
    .command('show')
    .argument('<did>')
    .description('the capability manifest of an identity')
    .action(
      action(run, async (context, _options: unknown, did: string) => {
        const { manifest_document: found } = await aboutDid(connect(context).resolveKid(requireDid(did)))
        if (found === null) throw new Failure('SVC-RES-002', `${did} has no manifest`, { exitCode: EXIT.notFound })
        context.output.answer(found, () => JSON.stringify(found, undefined, 2).split('\n').map(printable).join('\n'))
        return EXIT.ok
      })
    )
}
