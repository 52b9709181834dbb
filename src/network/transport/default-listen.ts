import { once } from 'node:events'
import { createServer } from 'node:net'
import type { NetworkProfile } from '../../protocol/profile/profile.ts'

/**
 * The multiaddr to listen on when none is configured: loopback for a network of one machine, every interface otherwise;
 * `port`, or any free one when another daemon has it. Who takes the port between this look and the listening makes the
 * start fail with a ListenError.
 */
export async function defaultListenAddress(profile: Pick<NetworkProfile, 'scope'>, port: number): Promise<string> {
  const host = profile.scope === 'loopback' ? '127.0.0.1' : '0.0.0.0'
  return `/ip4/${host}/tcp/${(await isTaken(host, port)) ? 0 : port}`
}

async function isTaken(host: string, port: number): Promise<boolean> {
  const probe = createServer()
  try {
    await once(probe.listen(port, host), 'listening')
  } catch (error) {
    // Any other reason is better told by the listening itself.
    return (error as NodeJS.ErrnoException).code === 'EADDRINUSE'
  }
  probe.close()
  await once(probe, 'close')
  return false
}
