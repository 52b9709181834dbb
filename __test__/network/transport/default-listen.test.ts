import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { defaultListenAddresses } from '../../../src/network/transport/addresses.ts'
import { startNode } from '../../../src/network/node.ts'
import { ListenError } from '../../../src/network/types.ts'
import { builtInProfiles } from '../../../src/protocol/profile/built-in.ts'

describe('listening for peers', () => {
  const other = createServer()
  let port = 0

  beforeEach(async () => {
    await once(other.listen(0, '127.0.0.1'), 'listening')
    port = (other.address() as AddressInfo).port
  })
  afterEach(() => void other.close())

  it('takes any free port by default when the usual one is taken', async () => {
    expect(await defaultListenAddresses({ scope: 'loopback' }, port)).toEqual(['/ip4/127.0.0.1/tcp/0'])
    expect((await defaultListenAddresses({ scope: 'public' }, port))[0]).toBe('/ip4/0.0.0.0/tcp/0')
    other.close()
    await once(other, 'close')
    expect(await defaultListenAddresses({ scope: 'loopback' }, port)).toEqual([`/ip4/127.0.0.1/tcp/${port}`])
  })

  it.each([
    [
      'a taken port',
      () => `/ip4/127.0.0.1/tcp/${port}`,
      /EADDRINUSE: address already in use 127\.0\.0\.1:\d+\. Choose/
    ],
    ['a transport that is not there', () => '/ip4/127.0.0.1/udp/1', /for peers: [^\n]+ Choose/]
  ])('says in one line why it fails: %s', async (_what, address, reason) => {
    const options = {
      profile: builtInProfiles.local,
      nodeSeed: new Uint8Array(32),
      bootstrap: () => [],
      mode: 'light',
      isBanned: () => false,
      mayConnect: () => true,
      mayAsk: () => true,
      agent: 'test'
    } as const
    const failure = await startNode({ ...options, listen: [address()] }).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(ListenError)
    expect((failure as Error).message).toMatch(reason)
    expect((failure as Error).message).not.toContain('\n')
  })
})
