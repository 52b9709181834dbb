/** `chronym dns setup`: shows, writes or takes back the route of one domain. */
import { routeOf } from './route.ts'
import { apply, checkWritable, planUndo, requireRoot, stateOf, undo } from './setup/apply.ts'
import { chooseSystem, findSystems, SYSTEMS } from './setup/choose.ts'
import { createHost } from './setup/host.ts'
import type { Plan, SystemId } from './setup/systems.ts'
import { doneText, planText } from './text.ts'
import type { Route } from './types.ts'
import { connect } from '../connection/connect.ts'
import type { Context } from '../context.ts'
import { EXIT, type ExitCode } from '../failures/exit-codes.ts'
import { Failure, usageFailure } from '../failures/failure.ts'
import { loadProfile } from '../profile.ts'
import { builtInProfiles } from '../../protocol/profile/built-in-profiles.ts'
import { requireConsent } from '../questions/consent.ts'

export interface SetupOptions {
  apply?: boolean
  undo?: boolean
  system?: SystemId
  zone?: string
  root?: string
  yes?: boolean
}

/** The ports that the daemon was told to use; undefined for who may not see its configuration, such as root. */
async function configuredPorts(context: Context): Promise<ReadonlySet<number> | undefined> {
  try {
    const listen = (await connect(context).configFields()).find(({ field }) => field === 'dns.listen')?.value
    return Array.isArray(listen)
      ? new Set(listen.map((address) => Number(/\d+$/u.exec(String(address))?.[0])))
      : undefined
  } catch {
    return undefined
  }
}

/** The defaults: no port that a daemon takes by itself. */
const FIXED_PORTS: ReadonlySet<number> = new Set([53, 7453])

/** The daemon takes any free port where its own is taken; then the files would soon be wrong. */
async function portRemarks(context: Context, { servers }: Route): Promise<string[]> {
  const loose = servers.find(({ port }) => !FIXED_PORTS.has(port))
  if (loose === undefined) return []
  const configured = await configuredPorts(context)
  if (configured?.has(loose.port) === true) return []
  return [
    configured === undefined
      ? `If dns.listen does not name port ${loose.port}, the daemon chose that port by itself, ` +
        'and it may change at its next start.'
      : `The daemon chose port ${loose.port} by itself, and it may change at its next start: name it in dns.listen.`
  ]
}

/**
 * The answer has no proof: without a token, any program that holds the port can give it. It may move the names of these
 * networks, and never those of a domain that others rely on.
 */
function requireOwnZone({ tld }: Route, zone: string | undefined): void {
  const own = zone?.replace(/\.$/u, '').toLowerCase()
  if (own === tld || (own === undefined && Object.values(builtInProfiles).some((profile) => profile.tld === tld)))
    return
  throw usageFailure(
    `what answers says that its zone is ${tld}., and ${own === undefined ? 'no built-in network has that' : `not ${own}.`}`,
    `If it is the zone of your own network, name it: --zone ${tld}. It would no longer resolve anywhere else.`
  )
}

export async function setup(context: Context, options: SetupOptions): Promise<ExitCode> {
  if (options.apply === true && options.undo === true)
    throw usageFailure('--apply and --undo exclude each other', 'Give one of them.')
  const host = createHost(options.root)
  if (options.undo === true) {
    const undoing = planUndo(host, SYSTEMS, [loadProfile(context, 'main').tld])
    requireRoot(host, 'Repeat it as root: sudo chronym dns setup --undo')
    const done = undo(host, undoing)
    context.output.answer(done, () =>
      done.removed.length + done.commands.length === 0
        ? 'nothing to take back'
        : doneText('removed', done.removed, done.commands)
    )
    return EXIT.ok
  }
  // A daemon answers this without a token, and root need not read the owner's.
  const client = connect(context, { anonymous: true })
  const route = routeOf(await client.dns())
  requireOwnZone(route, options.zone)
  const found = findSystems(host)
  const system = chooseSystem(found, options.system)
  const bare = system.plan(host, route)
  const plan: Plan = { ...bare, remarks: [...bare.remarks, ...(await portRemarks(context, route))] }
  const shown = (): string => planText(route, found, system, plan, (file) => stateOf(host, file))
  if (options.apply !== true) {
    context.output.answer(
      {
        zone: `${route.tld}.`,
        servers: route.servers,
        found: found.map(({ system: { id }, because, isAsked }) => ({ system: id, because, asked: isAsked })),
        system: system.id,
        files: plan.files.map((file) => ({ path: file.path, content: file.body, state: stateOf(host, file) })),
        commands: [...(plan.check === undefined ? [] : [plan.check]), ...plan.commands],
        remarks: plan.remarks,
        obstacle: plan.obstacle ?? null
      },
      () =>
        plan.obstacle === undefined
          ? `${shown()}\n\n${context.output.commands('Write it: chronym dns setup --apply')}`
          : shown()
    )
    return EXIT.ok
  }
  if (plan.obstacle !== undefined)
    throw new Failure('CLI-DNS-001', plan.obstacle.detail, { exitCode: EXIT.refused, cure: plan.obstacle.cure })
  checkWritable(host, plan.files, `Repeat it as root: sudo chronym --api ${client.baseUrl} dns setup --apply`)
  await requireConsent(context, {
    cost: `this changes how this machine resolves .${route.tld}`,
    shown: shown(),
    question: 'Write it?',
    isGiven: options.yes === true
  })
  const done = apply(host, plan)
  context.output.answer(
    { system: system.id, ...done },
    () => `${doneText('wrote', done.written, done.commands)}\n${context.output.commands('Test it: chronym dns test')}`
  )
  return EXIT.ok
}
