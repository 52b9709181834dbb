import { Hono, type Context } from 'hono'
import { DnsViewSchema, KeyedHostListSchema } from '../../views/dns.ts'
import { decodeBase64 } from '../../util/base64.ts'
import { ServiceError } from '../../errors.ts'
import { endpoint } from '../endpoint.ts'
import { type AppEnv, ipOf, isOfThisMachine } from '../http/request.ts'
import { readBytes } from '../http/body.ts'
import {
  DnsFlushedSchema,
  DnsFlushSchema,
  KeyedHostForgottenSchema,
  type DnsFlushedBody,
  type KeyedHostForgottenBody
} from '../schemas/daemon.ts'
import { PROXY_RULES_TYPE, proxyRules } from '../../util/proxy-rules.ts'
import type { ApiServices } from '../services.ts'

const TAG = 'DNS'
/** RFC 8484, 6. */
const DNS_MESSAGE = 'application/dns-message'
/** Queries are below 600 bytes; the server reads no longer ones. */
const MAX_QUERY_BYTES = 4096

const REPLY = {
  200: {
    description: 'The reply, also where it says that the name is absent or that the look-up failed',
    media: DNS_MESSAGE,
    headers: {
      'Cache-Control': { description: '`max-age`: the lowest TTL of the reply', schema: { type: 'string' } }
    }
  }
} as const

export function dnsRoutes({ dns }: Pick<ApiServices, 'dns'>) {
  return new Hono<AppEnv>()
    .get(
      '/api/dns',
      endpoint({
        tag: TAG,
        summary: 'Where the DNS server listens, the anchor of its zone, and what it has done',
        access: 'public',
        answers: { 200: { description: 'The DNS server', schema: DnsViewSchema } }
      }),
      (c) => c.json(dns.view())
    )
    .post(
      '/api/dns/flush',
      endpoint({
        tag: TAG,
        summary: 'Forget what is known of a name, or of all names',
        description: 'The next query asks peers. A name below a registered one counts as that one.',
        access: ['publish'],
        body: DnsFlushSchema,
        answers: { 200: { description: 'Forgotten', schema: DnsFlushedSchema } },
        errors: ['SVC-NAM-001', 'SVC-DNS-001']
      }),
      (c) => c.json<DnsFlushedBody>({ success: true, flushed: dns.flush(c.req.valid('json').name) })
    )
    .get(
      '/api/https/hosts',
      endpoint({
        tag: TAG,
        summary: 'Hosts that had a key for https when somebody went there: they are not served without TLS',
        access: ['read'],
        answers: { 200: { description: 'The hosts', schema: KeyedHostListSchema } },
        errors: ['SVC-DNS-001']
      }),
      (c) => c.json(dns.keyedHosts())
    )
    .delete(
      '/api/https/hosts/:host',
      endpoint({
        tag: TAG,
        summary: 'Take a host for one that had no key for https',
        access: ['admin'],
        answers: { 200: { description: 'Forgotten', schema: KeyedHostForgottenSchema } },
        errors: ['SVC-DNS-001']
      }),
      (c) => c.json<KeyedHostForgottenBody>({ success: true, forgotten: dns.forgetKeyed(c.req.param('host')) })
    )
}

/** Which requests a browser sends to the proxy for https. It stays valid while that is off. */
export function pacRoutes({ dns }: Pick<ApiServices, 'dns'>) {
  return new Hono<AppEnv>().get(
    '/proxy.pac',
    endpoint({
      tag: TAG,
      summary: 'The proxy auto-configuration: names of the zone go to the proxy for https, all others do not',
      access: 'public',
      answers: { 200: { description: 'A PAC file', media: PROXY_RULES_TYPE } }
    }),
    (c) => {
      const { zone, https } = dns.view()
      c.header('Cache-Control', 'no-cache')
      return c.body(proxyRules(zone.slice(0, -1), https), 200, { 'Content-Type': PROXY_RULES_TYPE })
    }
  )
}

/** DNS over HTTPS (RFC 8484); plain HTTP on the port of the interface. */
export function dnsQueryRoutes({ dns }: Pick<ApiServices, 'dns'>) {
  const answer = async (c: Context<AppEnv>, query: Uint8Array): Promise<Response> => {
    const { message, maxAge } = await dns.query(query, ipOf(c), isOfThisMachine(c))
    c.header('Cache-Control', `max-age=${maxAge}`)
    return c.body(new Uint8Array(message), 200, { 'Content-Type': DNS_MESSAGE })
  }

  return new Hono<AppEnv>()
    .get(
      '/dns-query',
      endpoint({
        tag: TAG,
        summary: 'A DNS query over HTTP (RFC 8484)',
        access: 'public',
        isLookUp: true,
        parameters: [
          {
            name: 'dns',
            in: 'query',
            description: 'The query, base64url without padding',
            example: 'AAABAAABAAAAAAAABWFsaWNlB2Nocm9ueW0AAAEAAQ',
            required: true,
            schema: { minLength: 1 }
          }
        ],
        answers: REPLY,
        errors: ['SVC-REQ-001', 'SVC-DNS-001']
      }),
      (c) => answer(c, queryOf(c.req.query('dns')))
    )
    .post(
      '/dns-query',
      endpoint({
        tag: TAG,
        summary: 'A DNS query over HTTP (RFC 8484)',
        access: 'public',
        isLookUp: true,
        binaryBody: DNS_MESSAGE,
        answers: REPLY,
        errors: ['SVC-DNS-001']
      }),
      async (c) => answer(c, await readBytes(c, DNS_MESSAGE, MAX_QUERY_BYTES))
    )
}

function queryOf(parameter: string | undefined): Uint8Array {
  const query = parameter === undefined || parameter === '' ? undefined : decodeBase64(parameter)
  if (query === undefined || query.length > MAX_QUERY_BYTES)
    throw new ServiceError(
      'SVC-REQ-001',
      `The parameter dns must be a DNS message of at most ${MAX_QUERY_BYTES} bytes as base64url.`,
      { errors: [{ path: 'dns', message: 'Expected base64url' }] }
    )
  return query
}
