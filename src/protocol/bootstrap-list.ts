/** Signed lists of the peers to join through, as a name in DNS has them (docs/protocol/wire.md, 16). */
import { domain } from './crypto/domain.ts'
import { sign, type KeyPair, verifyStrict } from './crypto/ed25519.ts'
import { concatBytes, fromHex, lp, toHex, u64be } from './encoding/bytes.ts'

interface BootstrapList {
  /** Of the `/dnsaddr/NAME`. */
  readonly name: string
  /** Unix seconds from which it is valid no more. */
  readonly expires: number
  /** Multiaddrs, as its records have them after `dnsaddr=`. */
  readonly addresses: readonly string[]
}

/** A TXT record of this form signs the others beside it. */
const SIGNATURE = /^chronym-bootstrap=v1 (?<expires>[1-9]\d{0,11}) (?<signature>[0-9a-f]{128})$/

/** Lower case, without the closing dot; `_dnsaddr.` fits before it. */
export function isListName(text: string): boolean {
  return /^(?=.{1,240}$)[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*$/.test(text)
}

/** The order of the records is DNS's own, so they are signed sorted, as a set. */
export function listMessage({ name, expires, addresses }: BootstrapList, profileHash: Uint8Array): Uint8Array {
  const sorted = [...new Set(addresses)].sort()
  return concatBytes(domain('bootstrap-list', profileHash), lp(name), u64be(expires), ...sorted.map(lp))
}

/** The text of the record that signs a list. */
export function signList(list: BootstrapList, { secretKey }: KeyPair, profileHash: Uint8Array): string {
  return `chronym-bootstrap=v1 ${list.expires} ${toHex(sign(listMessage(list, profileHash), secretKey))}`
}

/**
 * When the list ends, in Unix seconds, by the latest of its signatures that this key made; undefined where it made none.
 * There may be several: of other networks, and of former keys.
 */
export function signedUntil(
  list: Omit<BootstrapList, 'expires'>,
  records: readonly string[],
  publicKey: Uint8Array,
  profileHash: Uint8Array
): number | undefined {
  const ends = records.flatMap((record) => {
    const { expires = '', signature = '' } = SIGNATURE.exec(record)?.groups ?? {}
    const message = (): Uint8Array => listMessage({ ...list, expires: Number(expires) }, profileHash)
    return expires !== '' && verifyStrict(fromHex(signature), message(), publicKey) ? [Number(expires)] : []
  })
  return ends.length === 0 ? undefined : Math.max(...ends)
}
