import type { Command } from 'commander'
import type { Client, ResolvedIdentityBody } from '../../../api/client/client.ts'
import { connect } from '../../connection/connect.ts'
import { action, type Context, type Run } from '../../context.ts'
import { EXIT, type ExitCode } from '../../failures/exit-codes.ts'
import type { AuthorizedKid } from '../../identity/create.ts'
import { readJson } from '../../input/files.ts'
import { collectOption, integerOption } from '../../input/values.ts'
import { loadProfile } from '../../profile.ts'
import { readSeed } from '../../seed.ts'
import { plural, printable } from '../../terminal/format.ts'

interface CreateOptions {
  name?: string
  index: number
  service?: string[]
  alsoKnownAs?: string[]
  seedFile?: string
  network?: string
  publish?: boolean
}

const MAX_INDEX = 63

/** An identity and its manifest as indented JSON: their shape is the reader's concern. */
export function identityText(identity: ResolvedIdentityBody): string {
  return JSON.stringify(identity, undefined, 2).split('\n').map(printable).join('\n')
}

/** The wrapper's content: POST /api/publish-kid takes both. */
function unwrap(json: unknown, member: string): unknown {
  return typeof json === 'object' && json !== null && member in json ? (json as Record<string, unknown>)[member] : json
}

async function publish(context: Context, client: Client, authorized: unknown): Promise<void> {
  const published = await client.publishKid(authorized)
  context.output.answer(
    published,
    () =>
      `${printable(published.did)} version ${published.version}, held by ${published.stored_by} of ${plural(published.of, 'peer')} asked`
  )
}

async function create(context: Context, options: CreateOptions): Promise<ExitCode> {
  const { bindToName, createIdentity, parseService } = await import('../../identity/create.ts')
  const profile = loadProfile(context, options.network)
  const seed = readSeed(context, options.seedFile)
  const parts = {
    index: options.index,
    services: (options.service ?? []).map(parseService),
    alsoKnownAs: options.alsoKnownAs ?? []
  }
  const document = createIdentity(seed, parts, new Date().toISOString(), profile)
  const authorized: AuthorizedKid = { document }
  if (options.name !== undefined) {
    authorized.name = options.name
    authorized.name_signature = bindToName(seed, await connect(context).resolve(options.name), document.id, profile)
  }
  if (options.publish === true) await publish(context, connect(context), authorized)
  else {
    context.output.text(JSON.stringify({ authorized_kid: authorized }, undefined, context.output.json ? undefined : 2))
    context.output.note(`identity ${document.id}; publish it: chronym kid publish FILE`)
  }
  return EXIT.ok
}

/** kid create, publish, show. */
export function addKidCommands(program: Command, run: Run): void {
  const kid = program.command('kid').description('identity documents (DIDs)').helpCommand(false)

  kid
    .command('create')
    .description("make and sign an identity document with keys from the owner's seed; prints it")
    .option('--name <name>', 'bind it to a name of ours: it lives as long as the name does')
    .option('--service <id=type=url>', 'a service endpoint; may be repeated', collectOption)
    .option('--also-known-as <uri>', 'another identifier of the same subject; may be repeated', collectOption)
    .option('--index <n>', 'tells identities of one seed apart', integerOption(0, MAX_INDEX), 0)
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
        await publish(context, connect(context), unwrap(await readJson(file, context.stdin), 'authorized_kid'))
        return EXIT.ok
      })
    )

  kid
    .command('show')
    .argument('<did>')
    .description('the identity document of a DID, with its manifest')
    .action(
      action(run, async (context, _options: unknown, did: string) => {
        const identity = await connect(context).resolveKid(did)
        context.output.answer(identity, () => identityText(identity))
        return EXIT.ok
      })
    )
}
