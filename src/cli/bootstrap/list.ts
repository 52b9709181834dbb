/** `chronym network bootstrap-list`: the key of a list, and its TXT records. Neither needs a daemon. */
import { isIP } from 'node:net'
import { isListName, signList } from '../../protocol/bootstrap-list.ts'
import { profileHash } from '../../protocol/profile/profile.ts'
import { loadProfile } from '../connection/location.ts'
import type { Context } from '../context.ts'
import { usageFailure } from '../failures/failure.ts'
import { makeKeyFile, readKeyFile, type KeyUse, type PassphraseOptions } from '../identity/recovery-key.ts'

const BOOTSTRAP: KeyUse = {
  what: 'bootstrap key',
  title: 'Key of the list of bootstrap peers of a Chronym network.',
  command: 'network bootstrap-list make-key'
}

/** Seconds that a resolver may keep the records. */
const TTL = 300

/** Lists that outlive their nodes mislead for as long: a liar in DNS may show the old one until then. */
const MAX_DAYS = 400
const DAY_MS = 86_400_000

export async function runMakeKey(context: Context, options: PassphraseOptions, file: string): Promise<void> {
  const { publicKey } = await makeKeyFile(context, file, options, BOOTSTRAP)
  context.output.plain({ file, public_key: publicKey }, publicKey)
  context.output.note(
    `the secret key is in ${file}: keep it off every daemon's machine, with a second copy elsewhere. The public key ` +
      'goes into the file of the profile as "bootstrap_key", or into p2p.bootstrap_key'
  )
}

interface SignOptions extends PassphraseOptions {
  key: string
  name: string
  expires: string
  network?: string
}

export async function runSign(context: Context, options: SignOptions, addresses: readonly string[]): Promise<void> {
  const name = options.name.toLowerCase().replace(/\.$/u, '')
  if (!isListName(name)) throw usageFailure(`--name ${options.name} is no name in DNS`, 'Example: boot.example.org')
  const expires = Math.floor(endOf(options.expires) / 1000)
  for (const address of addresses) requireAddress(address)
  const list = { name, expires, addresses: [...new Set(addresses)].sort() }
  const hash = profileHash(loadProfile(context, options.network))
  const signature = signList(list, await readKeyFile(context, options.key, options, BOOTSTRAP), hash)
  const records = [...list.addresses.map((address) => `dnsaddr=${address}`), signature]
  const owner = `_dnsaddr.${name}`
  context.output.plain(
    { name: owner, expires: new Date(1000 * expires).toISOString(), records },
    records.map((record) => `${owner}. ${TTL} IN TXT "${record}"`).join('\n')
  )
}

function endOf(text: string): number {
  const end = /^\d{4}-\d\d-\d\d(?:T[\d:.]+Z)?$/u.test(text) ? Date.parse(text) : Number.NaN
  const now = Date.now()
  if (end > now && end <= now + MAX_DAYS * DAY_MS) return end
  throw usageFailure(
    `--expires ${text}: a day or an instant in UTC, in the future and at most ${MAX_DAYS} days away`,
    `Example: --expires ${new Date(now + 90 * DAY_MS).toISOString().slice(0, 10)}`
  )
}

/** What daemons take of a list: an IP address with port and peer id, or another name. */
function requireAddress(text: string): void {
  const [, family, ip] = /^\/(ip[46])\/([^/]+)\/tcp\/[1-9]\d{0,4}\/p2p\/[1-9A-HJ-NP-Za-km-z]{40,64}$/u.exec(text) ?? []
  const [, name] = /^\/dnsaddr\/([^/]+)(?:\/p2p\/[1-9A-HJ-NP-Za-km-z]{40,64})?$/u.exec(text) ?? []
  const isGood = name === undefined ? `ip${isIP(ip ?? '')}` === family : isListName(name)
  if (isGood) return
  throw usageFailure(
    `${text} is no multiaddr with IP address, TCP port and peer id`,
    'Example: /ip4/192.0.2.1/tcp/7469/p2p/12D3KooW..., as `chronym id` prints it there. Or another list: /dnsaddr/NAME.'
  )
}
