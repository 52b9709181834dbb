/**
 * The proxy for https in its own process: node ours.ts FILE [EVALUATIONS]. FILE holds what is served (`Served`). Prints
 * the port; squares EVALUATIONS proofs meanwhile, as the daemon does it.
 */
import { readFileSync } from 'node:fs'
import { startDnsServer } from '../../src/native/addon.ts'
import { squareMeanwhile } from '../squarings-meanwhile.ts'

export interface Served {
  /** PKCS#8 DER, base64: of the zone and of the authority. */
  readonly key: string
  /** X.509 DER, base64. */
  readonly authority: string
  readonly name: string
  /** Records in base64. */
  readonly records: string
}

const KEPT_MS = 6 * 60 * 60_000

const [file, evaluations = '0'] = process.argv.slice(2)
const served = JSON.parse(readFileSync(file!, 'utf8')) as Served
const [key, authority, records] = [served.key, served.authority, served.records].map((text) =>
  Buffer.from(text, 'base64')
) as [Buffer, Buffer, Buffer]
const server = startDnsServer(
  {
    tld: 'chronym',
    key,
    serial: 1,
    listen: [],
    tls: null,
    forward: [],
    isPublic: false,
    cacheBytes: 2 ** 20
  },
  () => undefined
)
server.setProxy({
  address: '127.0.0.1',
  port: 0,
  allowPrivate: [served.name],
  localPorts: null,
  keyed: [],
  onKeyed: () => undefined
})
server.mint(key, authority)
server.setZone(served.name, records, { secure: true, reason: '' }, KEPT_MS, KEPT_MS)
squareMeanwhile(Number(evaluations))
process.stdout.write(`${JSON.stringify({ port: server.proxyPort() })}\n`)
// The threads of the server keep no event loop alive.
setInterval(() => undefined, 2 ** 30)
