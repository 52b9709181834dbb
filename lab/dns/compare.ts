/** What each server says to each kind of query, and how they differ. */
import { askTcp, askUdp, type Server } from '../../scripts/dns/ask.ts'
import { decodeReply, type Reply, type Rr } from '../../scripts/dns/message.ts'
import type { Kind } from './kinds.ts'

/** A reply, line by line: header and OPT, then each record with its section, sorted. */
export type Lines = readonly string[]

export interface Compared {
  readonly title: string
  readonly knot: Lines
  readonly ours: Lines
}

/** Counted down for less than this, a TTL is as good as whole: all of the zone's are multiples of it, seconds. */
const TTL_STEP = 60

/** Code of the option of RFC 8914. */
const EXTENDED_ERROR = 15

/** The name that is asked after each packet. */
const PROBE = 'chronym'

export async function compare(kinds: readonly Kind[], knot: Server, ours: Server): Promise<Compared[]> {
  const compared: Compared[] = []
  for (const each of kinds)
    compared.push({ title: each.title, knot: await linesOf(each, knot), ours: await linesOf(each, ours) })
  return compared
}

async function linesOf({ packet, transport }: Kind, server: Server): Promise<Lines> {
  const reply =
    transport === 'udp' ? await askUdp(server, packet, PROBE) : (await askTcp(server, [packet]).catch(() => []))[0]
  if (reply === undefined) return ['no reply']
  const said = decodeReply(reply)
  if (said.id !== packet.readUInt16BE(0)) throw new Error(`a reply with the ID ${said.id}`)
  return [
    `rcode: ${said.rcode}`,
    ...said.flags.map((flag) => `flag: ${flag}`),
    ...(said.opcode === 0 ? [] : [`opcode: ${said.opcode}`]),
    `question: ${said.question.join(', ') || 'none'}`,
    `OPT: ${optOf(said)}`,
    ...(['answer', 'authority', 'additional'] as const).flatMap((section) =>
      said[section].map((rr) => `${section}: ${textOf(rr)}`).sort()
    )
  ]
}

function optOf({ opt }: Reply): string {
  if (opt === undefined) return 'none'
  const options = [...opt.options].map(([code, data]) =>
    code === EXTENDED_ERROR
      ? `EDE ${data.readUInt16BE(0)} "${data.subarray(2).toString()}"`
      : // A server cookie holds a hash of the server's own secret: of that its length is compared.
        `option ${code} of ${data.length} octets`
  )
  return [opt.version, opt.size, ...(opt.dnssecOk ? ['do'] : []), ...options].join(' ')
}

function textOf({ owner, type, ttl, text }: Rr): string {
  return `${owner} ${Math.ceil(ttl / TTL_STEP) * TTL_STEP} ${type} ${text}`
}

export function isSame({ knot, ours }: Compared): boolean {
  return knot.join('\n') === ours.join('\n')
}

/** Lines of one side alone: `-` Knot's, `+` ours. */
export function difference({ knot, ours }: Compared): Lines {
  return [
    ...knot.filter((line) => !ours.includes(line)).map((line) => `- ${line}`),
    ...ours.filter((line) => !knot.includes(line)).map((line) => `+ ${line}`)
  ]
}
