import { once } from 'node:events'
import { createServer } from 'node:net'
import type { NetworkProfile } from '../../protocol/profile/profile.ts'

/**
 * The default multiaddrs to listen on: loopback for a network of one machine, otherwise every interface, by IPv6 too
 * where the machine has it. Uses `port`, or a free port if another daemon has it. If the port is taken in between, the
 * start fails with a ListenError.
 */
export async function defaultListenAddresses(profile: Pick<NetworkProfile, 'scope'>, port: number): Promise<string[]> {
  const hosts = profile.scope === 'loopback' ? ['127.0.0.1'] : ['0.0.0.0', '::']
  const faults = await Promise.all(hosts.map((host) => faultOf(host, port)))
  const free = faults.includes('EADDRINUSE') ? 0 : port
  return hosts.flatMap((host, index) => {
    if (!host.includes(':')) return [`/ip4/${host}/tcp/${free}`]
    return faults[index] === undefined || faults[index] === 'EADDRINUSE' ? [`/ip6/${host}/tcp/${free}`] : []
  })
}

/** The code of the error with which listening fails. */
async function faultOf(host: string, port: number): Promise<string | undefined> {
  const probe = createServer()
  try {
    await once(probe.listen({ host, port, ipv6Only: true }), 'listening')
  } catch (error) {
    return (error as NodeJS.ErrnoException).code
  }
  probe.close()
  await once(probe, 'close')
  return undefined
}
