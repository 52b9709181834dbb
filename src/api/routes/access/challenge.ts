import { Hono, type Context } from 'hono'
import { ServiceError } from '../../../errors.ts'
import { NONCE, socketAddress, UNIX_SOCKET } from '../../daemon-proof.ts'
import { endpoint } from '../../endpoint.ts'
import type { AppEnv } from '../../env.ts'
import { ChallengeSchema, type ChallengeBody } from '../../schemas/daemon.ts'
import type { ApiServices } from '../../services.ts'

/** Where this very connection arrived: an address and a port that the daemon listens on, or its UNIX socket. */
function dialled(c: Context<AppEnv>): string | undefined {
  const bindings = c.env as AppEnv['Bindings'] | undefined
  if (bindings?.isUnixSocket === true) return UNIX_SOCKET
  const socket = bindings?.incoming?.socket
  return socket?.localAddress === undefined || socket.localPort === undefined
    ? undefined
    : socketAddress(socket.localAddress, socket.localPort)
}

export function challengeRoutes({ tokens, instance }: Pick<ApiServices, 'tokens' | 'instance'>) {
  return new Hono<AppEnv>().get(
    '/api/challenge',
    endpoint({
      tag: 'Tokens',
      summary: 'Prove which daemon this is',
      description:
        'Lets a client that knows the main token verify the daemon before it sends a token. `proof` is ' +
        'HMAC-SHA256 of the JSON text `["<nonce>","<instance>","<address>"]`. Its key is HKDF-SHA256 of ' +
        'the main token, without salt, with the info `chronym daemon proof v1`, 32 bytes.',
      access: 'public',
      parameters: [
        {
          name: 'nonce',
          in: 'query',
          description: '32 random bytes, 64 lower-case hex digits',
          example: 'ab'.repeat(32)
        },
        {
          name: 'address',
          in: 'query',
          description:
            'IP address and port that the client is connected to, IPv6 in brackets; `unix` for the UNIX socket',
          example: '127.0.0.1:7468'
        }
      ],
      answers: { 200: { description: 'The proof', schema: ChallengeSchema } },
      errors: ['SVC-REQ-001', 'SVC-AUT-004']
    }),
    (c) => {
      const nonce = c.req.query('nonce') ?? ''
      const address = c.req.query('address') ?? ''
      if (!NONCE.test(nonce))
        throw new ServiceError('SVC-REQ-001', 'The nonce is not 64 lower-case hex digits.', {
          errors: [{ path: 'nonce', message: 'Expected 64 lower-case hex digits' }]
        })
      if (address !== dialled(c))
        throw new ServiceError('SVC-AUT-004', 'This daemon got the challenge at another address than the one it names.')
      return c.json<ChallengeBody>({ instance, proof: tokens.prove({ nonce, instance, address }) })
    }
  )
}
