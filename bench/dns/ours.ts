/**
 * Our server in its own process: node ours.ts FILE [EVALUATIONS]. FILE holds key and zones (`Served`). Prints address
 * and port; squares EVALUATIONS proofs meanwhile, as the daemon does it.
 */
import { readFileSync } from 'node:fs'
import { startOurs } from '../../scripts/dns/ours.ts'
import { squareMeanwhile } from '../squarings-meanwhile.ts'

export interface Served {
  /** PKCS#8 DER, base64. */
  readonly key: string
  /** Records in base64, by registered name. */
  readonly zones: Readonly<Record<string, string>>
}

const [file, evaluations = '0'] = process.argv.slice(2)
const { key, zones } = JSON.parse(readFileSync(file!, 'utf8')) as Served
const server = startOurs({ key: Buffer.from(key, 'base64'), serial: 1_700_000_000 })
for (const [name, records] of Object.entries(zones))
  server.setZone(name, Buffer.from(records, 'base64'), { secure: true })

squareMeanwhile(Number(evaluations))
process.stdout.write(`${JSON.stringify({ address: server.address, port: server.port })}\n`)
// The threads of the server keep no event loop alive.
setInterval(() => undefined, 2 ** 30)
