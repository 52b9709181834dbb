/** `chronym dns setup`: shows, writes or takes back the route of one domain. */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { requireOwnZone } from './own-zone.ts'
import { type Route, routeOf } from './route.ts'
import { apply, checkWritable, planUndo, requireRoot, stateOf, undo } from './setup/apply.ts'
import { chooseSystem, findSystems } from './setup/choose.ts'
import { WRITTEN } from './setup/written.ts'
import { createHost, type Host } from './setup/host.ts'
import type { Plan, SystemId } from './setup/systems.ts'
import { doneText, planText } from './text.ts'
import { connect, connectProven } from '../connection/connect.ts'
import { loadProfile, localPaths, whichDaemon } from '../connection/location.ts'
import type { Context } from '../context.ts'
import { EXIT, Failure, usageFailure } from '../failures/failure.ts'
import { requireConsent } from '../input/questions.ts'
import { toFailure } from '../failures/to-failure.ts'
import { shellWord } from '../../util/shell-commands.ts'
import type { DnsView } from '../../views/dns.ts'

interface SetupOptions {
  apply?: boolean
  undo?: boolean
  system?: SystemId
  zone?: string
  root?: string
  yes?: boolean
}

/** The ports that the daemon was told to use; undefined if this user may not read its configuration, as root may not. */
async function configuredPorts(context: Context): Promise<ReadonlySet<number> | undefined> {
  try {
    const listen = (await connect(context).configFields()).find(({ field }) => field === 'dns.listen')?.value
    return Array.isArray(listen)
      ? new Set(listen.map((address) => Number(String(address).split(':').at(-1))))
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

/** dnsmasq passes the daemon's answers on as they are. */
function aliasRemarks({ forwarding }: DnsView, system: SystemId): string[] {
  if (forwarding || !system.endsWith('dnsmasq')) return []
  return [
    'Aliases to names outside of the zone do not open: dnsmasq does not look for their targets. The daemon does, ' +
      'after `chronym config add dns.forward 127.0.0.1:53` and a restart.'
  ]
}

/** What proves the daemon: the token in a directory that the user names, or that is there. */
function provingDirectory(context: Context): string | undefined {
  const { root, token } = localPaths(context)
  return context.options.dataDir !== undefined || existsSync(token) ? resolve(root) : undefined
}

/** With every word that root needs, who has neither the user's environment nor the user's data directory. */
function applyCommand(context: Context, host: Host, { zone, system }: SetupOptions): string {
  const named = [...(zone === undefined ? [] : ['--zone', zone]), ...(system === undefined ? [] : ['--system', system])]
  const words = ['--data-dir', provingDirectory(context) ?? 'DIR', 'dns', 'setup', ...named, '--apply']
  const isRootsShell = host.mayWrite && context.env['SUDO_USER'] === undefined
  return `${isRootsShell ? '' : 'sudo '}chronym ${words.map((word) => shellWord(word)).join(' ')}`
}

/**
 * Any program that holds the port could answer. What ends in files of root comes from a daemon that has proved to hold
 * the main token. Throws a Failure that names the command with the directory that proves it.
 */
async function provenDns(context: Context, host: Host, options: SetupOptions): Promise<DnsView> {
  try {
    return await connectProven(context).dns()
  } catch (error) {
    const { code, message, exitCode } = toFailure(error)
    const directory = provingDirectory(context)
    const isExplained = directory !== undefined && whichDaemon(context).kind === 'directory'
    if (isExplained || !['CLI-NET-001', 'CLI-NET-003', 'CLI-TOK-001'].includes(code)) throw error
    const hint = directory === undefined ? ' (its user sees it with `chronym dns setup`)' : ''
    const cure =
      `Name the data directory of the daemon, by which it proves itself${hint}: ` + applyCommand(context, host, options)
    throw new Failure(code, message, { exitCode, cure, cause: error })
  }
}

export async function setup(context: Context, options: SetupOptions): Promise<void> {
  if (options.apply === true && options.undo === true)
    throw usageFailure('--apply and --undo exclude each other', 'Give one of them.')
  const host = createHost(options.root)
  if (options.undo === true) {
    const undoing = planUndo(host, WRITTEN, [loadProfile(context, 'main').tld])
    requireRoot(host, 'Repeat it as root: sudo chronym dns setup --undo')
    const done = undo(host, undoing)
    context.output.answer(done, () =>
      done.removed.length + done.commands.length === 0
        ? 'nothing to take back'
        : doneText('removed', done.removed, done.commands)
    )
    return
  }
  const isApplied = options.apply === true
  // Without a token a daemon answers this too. What is only shown needs no proof.
  const view = isApplied ? await provenDns(context, host, options) : await connect(context, { anonymous: true }).dns()
  const route = routeOf(view)
  requireOwnZone(route.tld, options.zone, 'It would no longer resolve anywhere else.')
  const found = findSystems(host)
  const system = chooseSystem(found, options.system)
  const bare = system.plan(host, route)
  const plan: Plan = {
    ...bare,
    remarks: [...bare.remarks, ...aliasRemarks(view, system.id), ...(await portRemarks(context, route))]
  }
  const shown = (): string => planText(route, found, system, plan, (file) => stateOf(host, file))
  if (!isApplied) {
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
      () => (plan.obstacle === undefined ? `${shown()}\n\nWrite it: ${applyCommand(context, host, options)}` : shown())
    )
    return
  }
  if (plan.obstacle !== undefined)
    throw new Failure('CLI-DNS-001', plan.obstacle.detail, { exitCode: EXIT.refused, cure: plan.obstacle.cure })
  checkWritable(host, plan.files, `Repeat it as root: ${applyCommand(context, host, options)}`)
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
}
