/** What comes after the first name. */
import { networkInterfaces } from 'node:os'
import type { Client } from '../../api/client/client.ts'
import type { Context } from '../context.ts'
import { printable } from '../terminal/format.ts'

/** A record with an address of this machine, best one that others reach. */
function ownAddress(): string {
  const found = Object.values(networkInterfaces())
    .flatMap((each) => each ?? [])
    .filter(({ internal, address }) => !internal && !address.startsWith('fe80'))
  const { family, address } = found.find((each) => each.family === 'IPv4') ??
    found[0] ?? { family: 'IPv4', address: '127.0.0.1' }
  return `${family === 'IPv4' ? 'A' : 'AAAA'} ${address}`
}

/** After the first registration of a daemon: the name has no records yet, and this machine does not ask the daemon. */
export async function noteNextStep(context: Context, client: Client, name: string): Promise<void> {
  if (context.output.json) return
  const [first, ...others] = await client.names()
  // Serial 1 is the empty zone that a registration begins with.
  if (first === undefined || others.length > 0 || first.serial > 1) return
  const own = printable(name)
  context.output.note(
    `${own} points nowhere yet.\n` +
      `  point it to this machine: chronym zone add ${own} @ ${ownAddress()} --publish\n` +
      '  use such names on this computer: chronym dns setup'
  )
}
