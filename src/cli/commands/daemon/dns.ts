import { Option } from 'commander'
import { connect } from '../../connection/connect.ts'
import type { Context, CliCommand } from '../../context.ts'
import { EXIT, type ExitCode, Failure, usageFailure } from '../../failures/failure.ts'
import { plural } from '../../../util/words.ts'
import { printable } from '../../terminal/format.ts'

const RECIPES = ['unbound', 'bind', 'dnsmasq', 'resolved'] as const
type Recipe = (typeof RECIPES)[number]
/** src/cli/dns/setup/systems.ts names the same; loading it here would slow every command. */
const SYSTEMS = ['systemd-resolved', 'networkmanager-dnsmasq', 'dnsmasq', 'unbound', 'macos', 'windows', 'resolv.conf']

async function anchor(context: Context, { for: recipe }: { for?: Recipe }): Promise<void> {
  const { dnskeyLine, dsLine, routeOf } = await import('../../dns/route.ts')
  const route = routeOf(await connect(context).dns())
  const [ds, dnskey] = [dsLine(route), dnskeyLine(route)]
  if (recipe === undefined) {
    const { keyTag: key_tag, algorithm } = route.anchor
    context.output.plain({ zone: `${route.tld}.`, ds, dnskey, key_tag, algorithm }, `${ds}\n${dnskey}`)
    return
  }
  const recipes = await import('../../dns/recipes.ts')
  const { filesText } = await import('../../dns/text.ts')
  const files = {
    unbound: () => [recipes.unboundFile(route)],
    bind: () => [recipes.bindFile(route)],
    dnsmasq: () => [recipes.dnsmasqFile(`/etc/dnsmasq.d/${route.tld}.conf`, route, true)],
    resolved: () => [recipes.resolvedFile(route, undefined), recipes.resolvedAnchorFile(route)]
  }[recipe]()
  context.output.plain(
    { zone: `${route.tld}.`, for: recipe, files: files.map(({ path, body }) => ({ path, content: body })) },
    filesText(files)
  )
}

async function stats(context: Context): Promise<void> {
  const { stats: told } = await connect(context).dns()
  if (told === null) {
    const { ENABLE_CURE } = await import('../../dns/route.ts')
    throw new Failure('CLI-DNS-003', 'the daemon serves no DNS', { exitCode: EXIT.refused, cure: ENABLE_CURE })
  }
  const { statsText } = await import('../../dns/text.ts')
  context.output.answer(told, () => statsText(told))
}

/** Letters, digits, hyphens and underscores below the zone; the daemon knows no other spelling. */
function nameBelow(tld: string, given: string): string {
  const name = given.toLowerCase().replace(/\.$/u, '')
  if (name.length > 253 || !name.endsWith(`.${tld}`) || !/^(?:[a-z0-9_-]{1,63}\.)+[a-z0-9-]+$/u.test(name))
    throw usageFailure(`${given} is not a name below .${tld}`, `Example: chronym dns test alice.${tld}`)
  return name
}

async function test(context: Context, given: string | undefined, root: string | undefined): Promise<ExitCode> {
  const { routeOf } = await import('../../dns/route.ts')
  const route = routeOf(await connect(context).dns())
  const name = given === undefined ? undefined : nameBelow(route.tld, given)
  const { ask } = await import('../../dns/probe/ask.ts')
  const { probeDns } = await import('../../dns/probe/steps.ts')
  const { lookup, resolversOf } = await import('../../dns/probe/system.ts')
  const { createHost } = await import('../../dns/setup/host.ts')
  const { verdictText } = await import('../../dns/text.ts')
  const resolvers = resolversOf(createHost(root), route.tld)
  const verdict = await probeDns({ route, name, resolvers, ask, lookup })
  context.output.answer(verdict, (paint) => context.output.commands(verdictText(verdict, route, paint)))
  return verdict.reaches ? EXIT.ok : EXIT.negative
}

export function addDnsCommands(program: CliCommand): void {
  const dns = program
    .command('dns')
    .description('names in every program: the DNS server of the daemon')
    .helpCommand(false)
  const rootOption = program.createOption('--root <directory>', 'look at the files below this directory').hideHelp()

  dns
    .command('anchor')
    .description('print the key of the zone as DS and DNSKEY, or the lines for a resolver that validates')
    .addOption(new Option('--for <resolver>', 'the whole configuration of a resolver').choices([...RECIPES]))
    .runs((context, options: { for?: Recipe }) => anchor(context, options))

  dns
    .command('stats')
    .description('show queries by transport, answers by outcome, and the cache')
    .runs((context) => stats(context))

  dns
    .command('flush')
    .argument('[name]', 'a name; without it, all')
    .description('forget what the DNS server knows of a name, so that the next query looks again')
    .runs(async (context, _options: unknown, name: string | undefined) => {
      const answer = await connect(context).flushDns(name)
      context.output.answer(
        answer,
        () => `${plural(answer.flushed, 'name')} forgotten${name === undefined ? '' : `: ${printable(name)}`}`
      )
    })

  dns
    .command('test')
    .argument('[name]', 'a registered name; without it, the zone')
    .description(
      'say whether programs on this machine ask the daemon, with the AD bit or not, and why (exit code 1: no)'
    )
    .addOption(rootOption)
    .runs((context, options: { root?: string }, name: string | undefined) => test(context, name, options.root))

  dns
    .command('setup')
    .description('show what would send the names of this zone, and no others, to the daemon; --apply writes it')
    .option('--apply', 'write the files, after a question, and reload the resolver; needs root')
    .option('--undo', 'remove what --apply wrote, and reload the resolver; needs root')
    .option('--zone <domain>', 'the zone of a network of your own; without it, that of the built-in networks alone')
    .addOption(new Option('--system <resolver>', 'the resolver to set up, in place of the one found').choices(SYSTEMS))
    .addOption(rootOption)
    .option('-y, --yes', 'do not ask')
    .loads(async () => (await import('../../dns/setup.ts')).setup)
}
