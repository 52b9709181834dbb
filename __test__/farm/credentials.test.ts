/** A nats-server in operator mode: accounts and users are JWTs, and clients show a `.creds` file. */
import { randomUUID } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { nkeys } from '@nats-io/transport-node'
import { afterEach, expect, it } from 'vitest'
import { NatsServer } from '../../scripts/nats-server.ts'
import { makeKey } from '../../src/farm/credentials.ts'
import { FARM_TIMES, type FarmAddress, openLink } from '../../src/farm/link.ts'
import { temporary } from '../temporary.ts'

type KeyPair = ReturnType<typeof nkeys.createUser>

const UNLIMITED = -1
const ends: (() => Promise<unknown>)[] = []

afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

const base64 = (data: string | Uint8Array): string => Buffer.from(data).toString('base64url')

/** A claim of NATS, signed by its issuer's nkey. */
function signed(issuer: KeyPair, subject: KeyPair, claim: object): string {
  const [iss, sub] = [issuer.getPublicKey(), subject.getPublicKey()]
  const header = base64(JSON.stringify({ typ: 'JWT', alg: 'ed25519-nkey' }))
  const body = base64(
    JSON.stringify({ jti: randomUUID(), iat: 0, iss, sub, name: sub, nats: { version: 2, ...claim } })
  )
  const signature = issuer.sign(new TextEncoder().encode(`${header}.${body}`))
  return `${header}.${body}.${base64(signature)}`
}

/** The farm of an account, and of a user of another issuer than that. */
async function startOperated(): Promise<{ ours: FarmAddress; strange: FarmAddress }> {
  const directory = temporary()
  const [operator, system, account, user] = [
    ...[nkeys.createOperator(), nkeys.createAccount(), nkeys.createAccount()],
    nkeys.createUser()
  ] as const
  const amounts = ['subs', 'data', 'payload', 'imports', 'exports', 'conn', 'leaf']
  const stored = ['mem_storage', 'disk_storage', 'streams', 'consumer']
  const limits = Object.fromEntries([...amounts, ...stored].map((limit) => [limit, UNLIMITED]))
  const settings = join(directory, 'nats.conf')
  writeFileSync(
    settings,
    `operator: ${signed(operator, operator, { type: 'operator' })}
     system_account: ${system.getPublicKey()}
     resolver: MEMORY
     resolver_preload: {
       ${system.getPublicKey()}: ${signed(operator, system, { type: 'account' })}
       ${account.getPublicKey()}: ${signed(operator, account, { type: 'account', limits: { ...limits, wildcards: true } })}
     }`
  )
  const server = await NatsServer.started(temporary(), ['--config', settings])
  ends.push(() => server.kill())
  const addressOf = (issuer: KeyPair, file: string): FarmAddress => {
    const claim = { type: 'user', subs: UNLIMITED, data: UNLIMITED, payload: UNLIMITED }
    const credentials = join(directory, file)
    const seed = Buffer.from(user.getSeed()).toString()
    // As `nsc generate creds` writes it.
    const parts = { 'NATS USER JWT': signed(issuer, user, claim), 'USER NKEY SEED': seed }
    const text = Object.entries(parts).map(
      ([what, part]) => `-----BEGIN ${what}-----\n${part}\n------END ${what}------\n`
    )
    writeFileSync(credentials, text.join('\n'), { mode: 0o600 })
    return { url: server.url, credentials, ca: '', network: 'operated' }
  }
  return { ours: addressOf(account, 'ours.creds'), strange: addressOf(nkeys.createAccount(), 'strange.creds') }
}

it('a .creds file opens the farm of a server in operator mode, and one of another account does not', async () => {
  const { ours, strange } = await startOperated()
  const link = await openLink(ours, FARM_TIMES)
  ends.push(() => link.close())
  await link.addWork('job', new Uint8Array(1))
  expect(await link.hasWork('job')).toBe(true)
  await expect(openLink(strange, FARM_TIMES)).rejects.toThrow('Authorization Violation')
})

it('the settings of the page for operators open a farm to the keys that `farm key` makes, and to no other', async () => {
  const directory = temporary()
  const page = readFileSync(new URL('../../docs/operate/farm.md', import.meta.url), 'utf8')
  const [block] = /port: 4222\n[^`]+/u.exec(page)!
  const [daemon, worker, strange] = ['daemon', 'worker', 'strange'].map((name) => join(directory, `${name}.nk`)) as [
    string,
    string,
    string
  ]
  const settings = join(directory, 'nats.conf')
  makeKey(strange)
  writeFileSync(
    settings,
    block
      .replace('U...DAEMON', makeKey(daemon))
      .replace('U...WORKER', makeKey(worker))
      // The test's server is told another one.
      .replace(/store_dir: \S+, /u, '')
  )
  const server = await NatsServer.started(temporary(), ['--config', settings])
  ends.push(() => server.kill())
  for (const credentials of [daemon, worker]) {
    const link = await openLink({ url: server.url, credentials, ca: '', network: 'page' }, FARM_TIMES)
    ends.push(() => link.close())
  }
  const other = openLink({ url: server.url, credentials: strange, ca: '', network: 'page' }, FARM_TIMES)
  await expect(other).rejects.toThrow('Authorization Violation')
})
