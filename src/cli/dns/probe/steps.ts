/** The checks of `chronym dns test`: from the daemon outwards to what programs ask. */
import { type Ask, isSilent, rcodeName, type Reply, type Silence, TYPE } from './ask.ts'
import type { Lookup, Resolvers } from './system.ts'
import { hostPort, type Route, type Server } from '../route.ts'
import { type Finding, ok, problem, warning } from '../../self-check/findings.ts'

export type Step = Finding<'server' | 'name' | 'resolver' | 'trust-ad' | 'programs'>

export interface Verdict {
  /** Whether the resolver of this machine asks the daemon. */
  readonly reaches: boolean
  /** Whether its answers have the AD bit; for a name, those about the name. */
  readonly authenticated: boolean
  readonly steps: readonly Step[]
}

export interface Probe {
  readonly route: Route
  /** Without a closing dot; undefined tests the zone alone. */
  readonly name: string | undefined
  readonly resolvers: Resolvers
  readonly ask: Ask
  readonly lookup: Lookup
}

const SETUP_CURE = 'Let it ask the daemon: chronym dns setup.'
const NOERROR = 0
const REFUSED = 5
const SERVFAIL = 2
const NOTIMP = 4
/** glibc asks the next server after these. */
const PASSED_ON = new Set([SERVFAIL, NOTIMP, REFUSED])

/** The zone's key in the answer shows whose answer it is: no other server has it. */
export function isFromDaemon(reply: Reply, { anchor }: Route): boolean {
  const key = Buffer.from(anchor.publicKey, 'base64')
  return reply.answers.some(({ type, data }) => type === TYPE.DNSKEY && key.equals(data.subarray(4)))
}

function why({ extendedErrors }: Reply): string {
  const texts = extendedErrors.map(({ code, text }) => (text === '' ? `extended error ${code}` : text))
  return texts.length === 0 ? '' : ` (${texts.join('; ')})`
}

function outcome(answer: Reply | Silence): string {
  if (isSilent(answer)) return answer.reason
  return `${rcodeName(answer.rcode)}, ${answer.ad ? 'with' : 'without'} AD${why(answer)}`
}

async function checkServer({ route, ask }: Probe): Promise<{ steps: Step[]; server: Server | undefined }> {
  const steps: Step[] = []
  let works: Server | undefined
  for (const server of route.servers) {
    const answer = await ask(server, { name: route.tld, type: TYPE.DNSKEY })
    if (!isSilent(answer) && isFromDaemon(answer, route)) {
      works ??= server
      steps.push(ok('server', `${hostPort(server)} answers for ${route.tld}.`))
    } else {
      const detail = isSilent(answer) ? answer.reason : `another server answers: ${outcome(answer)}`
      steps.push(
        problem(
          'server',
          `${hostPort(server)}: ${detail}`,
          'Run this on the machine of the daemon. Its log says whether it listens; a firewall may be in the way.'
        )
      )
    }
  }
  return { steps, server: works }
}

function nameStep(name: string, answer: Reply | Silence): Step {
  if (isSilent(answer)) return problem('name', `${name}: ${answer.reason}`, 'chronym doctor')
  const detail = `${name}: ${outcome(answer)}`
  const cure = `Ask why: chronym explain ${name}`
  if (answer.rcode !== NOERROR) return problem('name', detail, cure)
  if (answer.ad) return ok('name', detail)
  const withCode = '. The name with its check code, which its owner gives (as in alice--7kq2mx), has AD at once.'
  return warning('name', detail, `${cure}${withCode}`)
}

interface Reached {
  readonly steps: Step[]
  readonly by: Server | undefined
  /** Whether the zone's own answer has the AD bit. */
  readonly ad: boolean
}

/** In the order in which programs ask: the first that decides. */
async function checkResolvers({ route, resolvers, ask }: Probe): Promise<Reached> {
  const steps: Step[] = []
  for (const server of resolvers.servers) {
    const answer = await ask(server, { name: route.tld, type: TYPE.DNSKEY })
    const where = `${hostPort(server)} of ${resolvers.from}`
    if (!isSilent(answer) && isFromDaemon(answer, route)) {
      steps.push(ok('resolver', `${where} asks the daemon, ${adText(answer.ad)}`))
      return { steps, by: server, ad: answer.ad }
    }
    const passes = isSilent(answer) || PASSED_ON.has(answer.rcode)
    const detail = `${where} does not ask the daemon: ${outcome(answer)}`
    steps.push(
      passes && server !== resolvers.servers.at(-1)
        ? warning('resolver', `${detail}; programs ask the next one`, SETUP_CURE)
        : problem('resolver', detail, SETUP_CURE)
    )
    if (!passes) break
  }
  if (resolvers.servers.length === 0) steps.push(problem('resolver', `${resolvers.from} names no server`, SETUP_CURE))
  return { steps, by: undefined, ad: false }
}

const adText = (ad: boolean): string => (ad ? 'with AD' : 'without AD')

function adStep({ route, resolvers }: Probe, { by, ad }: Reached): Step[] {
  if (by === undefined) return []
  if (!ad)
    return [
      warning(
        'trust-ad',
        `the resolver does not validate ${route.tld}.: its answers have no AD bit`,
        'Give it the key of the zone, and let it validate: chronym dns anchor --for RESOLVER.'
      )
    ]
  if (resolvers.trustsAd === undefined) return []
  return resolvers.trustsAd
    ? [ok('trust-ad', 'programs see the AD bit: resolv.conf has options trust-ad')]
    : [
        warning(
          'trust-ad',
          'glibc hides the AD bit from programs such as ssh: resolv.conf has no options trust-ad',
          'Add the line "options trust-ad" to /etc/resolv.conf, if that server is on this machine.'
        )
      ]
}

const ADDRESS_BYTES: Readonly<Record<number, number>> = { [TYPE.A]: 4, [TYPE.AAAA]: 16 }

function addressesOf(answer: Reply | Silence): string[] {
  if (isSilent(answer)) return []
  return answer.answers
    .filter(({ type, data }) => data.length === ADDRESS_BYTES[type])
    .map(({ data }) => Buffer.from(data).toString('hex'))
}

/** What getaddrinfo gives, beside what the daemon gives. */
async function checkPrograms(probe: Probe, name: string, server: Server): Promise<Step> {
  const told = await Promise.all([TYPE.A, TYPE.AAAA].map((type) => probe.ask(server, { name, type })))
  const expected = new Set(told.flatMap(addressesOf))
  const found = await probe.lookup(name)
  if ('reason' in found)
    return expected.size === 0
      ? ok('programs', `${name} has no address, so programs find none`)
      : problem('programs', `programs do not find ${name}: ${found.reason}`, SETUP_CURE)
  const others = found.addresses.filter((each) => !expected.has(each.bytes))
  return others.length === 0
    ? ok('programs', `programs find ${found.addresses.map(({ text }) => text).join(', ')}, as the daemon says`)
    : problem(
        'programs',
        `programs find ${others.map(({ text }) => text).join(', ')}, which the daemon does not say`,
        'Look in /etc/hosts and at the line hosts: of /etc/nsswitch.conf.'
      )
}

/** Asks everything; a name is asked of the daemon first, which may take the time of a look-up. */
export async function probeDns(probe: Probe): Promise<Verdict> {
  const { name, ask } = probe
  const { steps, server } = await checkServer(probe)
  const direct = name === undefined || server === undefined ? undefined : await ask(server, { name, type: TYPE.A })
  if (name !== undefined && direct !== undefined) steps.push(nameStep(name, direct))
  const reached = await checkResolvers(probe)
  steps.push(...reached.steps, ...adStep(probe, reached))
  let isFound = true
  if (name !== undefined && server !== undefined) {
    const programs = await checkPrograms(probe, name, server)
    steps.push(programs)
    isFound = programs.state !== 'failed'
  }
  const through =
    name === undefined || reached.by === undefined ? undefined : await ask(reached.by, { name, type: TYPE.A })
  const nameHasAd = through === undefined || (!isSilent(through) && through.ad)
  return { reaches: reached.by !== undefined && isFound, authenticated: reached.ad && nameHasAd, steps }
}
