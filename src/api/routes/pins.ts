import { Hono } from 'hono'
import { endpoint } from '../endpoint.ts'
import type { AppEnv } from '../env.ts'
import { NAME_PARAMETER } from '../openapi/parameters.ts'
import { SuccessSchema } from '../schemas/common.ts'
import { PinListSchema, type PinView } from '../../views/pin.ts'
import type { ApiServices } from '../services.ts'

const TAG = 'Names'

export function pinRoutes({ registry }: ApiServices) {
  return new Hono<AppEnv>()
    .get(
      '/api/pins',
      endpoint({
        tag: TAG,
        summary: 'The owners that this daemon has seen as settled',
        description:
          'In order of names, at most 1,000. For the next ones, ask for those after the last name. ' +
          'docs/protocol/rules.md, 11, says what a pin does.',
        access: ['read'],
        parameters: [
          { name: 'after', in: 'query', description: 'A name: only those after it', example: 'alice.chronym' }
        ],
        answers: { 200: { description: 'Pins', schema: PinListSchema } },
        errors: ['SVC-NAM-001', 'SVC-NAM-002']
      }),
      (c) => c.json<PinView[]>(registry.pins(c.req.query('after')))
    )
    .delete(
      '/api/pins/:name',
      endpoint({
        tag: TAG,
        summary: 'Forget the owner of a name',
        description:
          'The next look decides alone who owns the name: that owner is believed and, once it is seen again, pinned.',
        access: ['admin'],
        parameters: [NAME_PARAMETER],
        answers: { 200: { description: 'It is forgotten', schema: SuccessSchema } },
        errors: ['SVC-NAM-001', 'SVC-NAM-002', 'SVC-PIN-001', 'SVC-STO-001']
      }),
      (c) => {
        registry.forgetPin(c.req.param('name'))
        return c.json({ success: true } as const)
      }
    )
}
