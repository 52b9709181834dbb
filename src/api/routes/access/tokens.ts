import { Hono } from 'hono'
import { ServiceError } from '../../../errors.ts'
import { endpoint } from '../../endpoint.ts'
import type { AppEnv } from '../../env.ts'
import { SuccessSchema } from '../../schemas/common.ts'
import {
  CreateTokenRequestSchema,
  NewTokenSchema,
  RotatedTokenSchema,
  TokenListSchema,
  type NewTokenBody,
  type RotatedTokenBody,
  type TokenView
} from '../../schemas/daemon.ts'
import type { ApiServices } from '../../services.ts'

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
      (c) => c.json<TokenView[]>(tokens.list())
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
