/** `chronym https test`: goes the way of a browser, and says where it ends. */
import { once } from 'node:events'
import { connect as connectTcp, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { connect as connectTls } from 'node:tls'
import {
  type AuthorityCertificate,
  NoAuthorityError,
  readAuthorityCertificate
} from '../../data-directory/https-authority.ts'
import type { DataPaths } from '../../data-directory/paths.ts'
import { canonicalName } from '../../protocol/name/names.ts'
import type { DnsView } from '../../views/dns.ts'
import { connect } from '../connection/connect.ts'
import { localPaths } from '../connection/location.ts'
import type { Context } from '../context.ts'
import { createHost } from '../dns/setup/host.ts'
import { printable } from '../terminal/format.ts'
import { EXIT, type ExitCode, messageOf } from '../failures/failure.ts'
import { homeOf, trustedOf } from './setup.ts'
import { untrustingStores } from './stores.ts'

/** One step of the way. */
interface Step {
  readonly step: 'proxy' | 'authority' | 'stores' | 'site'
  readonly ok: boolean
  readonly detail: string
  readonly cure?: string
}

/** The proxy gives a step ten seconds, and looks for a newer answer of DNS meanwhile. */
const PATIENCE_MS = 30_000
const SETUP_CURE = 'chronym https setup'

export async function test(context: Context, { port }: { port: number }, given: string): Promise<ExitCode> {
  const host = canonicalName(given)
  const steps = await walk(context, host, port)
  const isOpen = steps.at(-1)!.step === 'site' && steps.every(({ ok }) => ok)
  context.output.answer({ host, port, opens: isOpen, steps }, (paint) =>
    context.output.commands(
      steps
        .map(({ step, ok, detail, cure }) => {
          const line = `${paint(ok ? 'green' : 'red', ok ? 'ok    ' : 'failed')} ${step}: ${printable(detail)}`
          return cure === undefined ? line : `${line}\n       cure: ${cure}`
        })
        .join('\n')
    )
  )
  return isOpen ? EXIT.ok : EXIT.negative
}

/** Ends with the first step that the next one needs. */
async function walk(context: Context, host: string, port: number): Promise<Step[]> {
  const { https: proxy } = await connect(context).dns()
  if (proxy === null)
    return [{ step: 'proxy', ok: false, detail: 'https is off', cure: 'chronym config set https.enabled=true' }]
  const steps: Step[] = [{ step: 'proxy', ok: true, detail: `it listens on ${proxy.address}, port ${proxy.port}` }]
  const paths = localPaths(context)
  const authority = authorityOf(paths)
  if (typeof authority === 'string')
    return [...steps, { step: 'authority', ok: false, detail: authority, cure: SETUP_CURE }]
  if (!proxy.ready) {
    return [
      ...steps,
      { step: 'authority', ok: false, detail: 'the daemon does not have its key', cure: 'chronym unlock' }
    ]
  }
  const trusted = trustedOf(paths, authority)
  const untrusting = untrustingStores(createHost(), homeOf(context), trusted)
  return [
    ...steps,
    { step: 'authority', ok: true, detail: trusted.nickname },
    untrusting.length === 0
      ? { step: 'stores', ok: true, detail: 'the browsers of this user trust it' }
      : { step: 'stores', ok: false, detail: `not in ${untrusting.join(', ')}`, cure: SETUP_CURE },
    await visit(proxy, authority.pem, host, port)
  ]
}

/** Or why there is none. */
function authorityOf(paths: DataPaths): AuthorityCertificate | string {
  try {
    return readAuthorityCertificate(paths) ?? 'this machine has none'
  } catch (error) {
    if (error instanceof NoAuthorityError) return error.message
    throw error
  }
}

async function visit(proxy: NonNullable<DnsView['https']>, ca: string, host: string, port: number): Promise<Step> {
  const socket = connectTcp(proxy.port, proxy.address)
  socket.setTimeout(PATIENCE_MS, () => socket.destroy(new Error('no answer in time')))
  try {
    socket.write(`CONNECT ${host}:${port} HTTP/1.1\r\nHost: ${host}:${port}\r\n\r\n`)
    const [head] = (await once(socket, 'data')) as [Buffer]
    const response = /^HTTP\/1\.1 200 /u.test(head.toString('latin1'))
      ? await get(socket, ca, host)
      : head.toString() + (await text(socket))
    const [, status] = /^HTTP\/1\.[01] (\d{3})/u.exec(response) ?? []
    if (status === undefined) return { step: 'site', ok: false, detail: 'what answers speaks no HTTP/1.1' }
    if (!/^chronym-refusal:/imu.test(response.split('\r\n\r\n')[0]!))
      return { step: 'site', ok: true, detail: `${host} answers with status ${status}` }
    const part = (tag: string): string =>
      (new RegExp(`<${tag}>(.*?)</${tag}>`, 'su').exec(response)?.[1] ?? '').replaceAll(
        /&(?:lt|gt|quot|amp);/gu,
        (name) => ({ '&lt;': '<', '&gt;': '>', '&quot;': '"', '&amp;': '&' })[name]!
      )
    return { step: 'site', ok: false, detail: `${part('h1')}. ${part('p')}` }
  } catch (error) {
    return { step: 'site', ok: false, detail: messageOf(error) }
  } finally {
    socket.destroy()
  }
}

async function get(socket: Socket, ca: string, host: string): Promise<string> {
  const tls = connectTls({ socket, servername: host, ca, ALPNProtocols: ['http/1.1'] })
  await once(tls, 'secureConnect')
  tls.write(`GET / HTTP/1.1\r\nHost: ${host}\r\nUser-Agent: chronym\r\nConnection: close\r\n\r\n`)
  const [response] = (await once(tls, 'data')) as [Buffer]
  return response.toString()
}
