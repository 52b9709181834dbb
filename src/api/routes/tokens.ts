import { type Context, Hono } from 'hono'
import { ServiceError } from '../../errors.ts'
import { endpoint } from '../endpoint.ts'
import type { AppEnv } from '../http/request.ts'
import { SuccessSchema } from '../schemas/common.ts'
import {
  type ChallengeBody,
  ChallengeSchema,
  CreateTokenRequestSchema,
  type NewTokenBody,
  NewTokenSchema,
  type RotatedTokenBody,
  RotatedTokenSchema,
  TokenListSchema
} from '../schemas/daemon.ts'
import type { ApiServices } from '../services.ts'
import { NONCE, socketAddress, UNIX_SOCKET } from '../daemon-proof.ts'

const TAG = 'Tokens'

export function tokenRoutes({ tokens }: ApiServices) {
  return new Hono<AppEnv>()
    .get(
      '/api/tokens',
      endpoint({
        tag: TAG,
        summary: 'The tokens made besides the main one',
        access: ['read'],
        answers: { 200: { description: 'Tokens, without their secrets', schema: TokenListSchema } }
      }),
      (c) => c.json(tokens.list())
    )
    .post(
      '/api/tokens',
      endpoint({
        tag: TAG,
        summary: 'Make a token with narrower scopes',
        access: ['admin'],
        body: CreateTokenRequestSchema,
        answers: { 201: { description: 'The token, shown this once', schema: NewTokenSchema } },
        errors: ['SVC-STO-001']
      }),
      (c) => {
        const { scopes, label } = c.req.valid('json')
        return c.json<NewTokenBody, 201>(tokens.create([...new Set(scopes)], label), 201)
      }
    )
    .delete(
      '/api/tokens/:id',
      endpoint({
        tag: TAG,
        summary: 'Revoke a token',
        access: ['admin'],
        parameters: [{ name: 'id', in: 'path', description: 'From the list of tokens' }],
        answers: { 200: { description: 'It stopped working', schema: SuccessSchema } },
        errors: ['SVC-AUT-003', 'SVC-STO-001']
      }),
      (c) => {
        if (!tokens.revoke(c.req.param('id'))) throw new ServiceError('SVC-AUT-003', 'No token has this id.')
        return c.json({ success: true } as const)
      }
    )
    .post(
      '/api/tokens/rotate',
      endpoint({
        tag: TAG,
        summary: 'Replace the main token',
        description: 'The old one and the sessions opened with it stop working immediately.',
        access: ['admin'],
        answers: {
          200: { description: 'The new main token, also written to its file', schema: RotatedTokenSchema }
        },
        errors: ['SVC-STO-001']
      }),
      (c) => c.json<RotatedTokenBody>({ token: tokens.rotate() })
    )
}

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
          example: 'ab'.repeat(32),
          required: true,
          schema: { pattern: NONCE.source }
        },
        {
          name: 'address',
          in: 'query',
          description:
            'IP address and port that the client is connected to, IPv6 in brackets; `unix` for the UNIX socket',
          example: '127.0.0.1:7468',
          required: true
        }
      ],
      answers: { 200: { description: 'The proof', schema: ChallengeSchema } },
      errors: ['SVC-REQ-001', 'SVC-AUT-004']
    }),
    (c) => {
      const nonce = c.req.query('nonce') ?? ''
      const address = c.req.query('address') ?? ''
      if (address !== dialled(c))
        throw new ServiceError('SVC-AUT-004', 'This daemon got the challenge at another address than the one it names.')
      return c.json<ChallengeBody>({ instance, proof: tokens.prove({ nonce, instance, address }) })
    }
  )
}
