import { once } from 'node:events'
import { createServer } from 'node:net'
import type { NetworkProfile } from '../../protocol/profile/profile.ts'

/**
 * The default multiaddr to listen on: loopback for a network of one machine, every interface otherwise. Uses `port`, or
 * a free port if another daemon has it. If the port is taken in between, the start fails with a ListenError.
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
    // The listening itself reports any other reason better.
    return (error as NodeJS.ErrnoException).code === 'EADDRINUSE'
  }
  probe.close()
  await once(probe, 'close')
  return false
}
