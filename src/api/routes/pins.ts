import { Hono } from 'hono'
import { endpoint } from '../endpoint.ts'
import type { AppEnv } from '../env.ts'
import { NAME_PARAMETER } from '../openapi/parameters.ts'
import { SuccessSchema } from '../schemas/common.ts'
import { PinCodesRequestSchema } from '../schemas/pins.ts'
import { PinListSchema, PinnedCodesSchema, type PinnedCodesView, type PinView } from '../../views/pin.ts'
import type { ApiServices } from '../services.ts'

const TAG = 'Names'

export function pinRoutes({ registry }: ApiServices) {
  return new Hono<AppEnv>()
    .get(
      '/api/pins',
      endpoint({
        tag: TAG,
        summary: 'The claims that names mean to this daemon: seen as settled, or given by their codes',
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
    .post(
      '/api/pins',
      endpoint({
        tag: TAG,
        summary: 'Pin names by check codes',
        description:
          'From now on each bare name means the claim with its code alone, before any look-up and for DNS too. All or ' +
          'none: a code that contradicts what is pinned is refused, and `errors` lists each. A longer code of the same ' +
          'claim takes the place of a shorter one.',
        access: ['admin'],
        body: PinCodesRequestSchema,
        answers: { 200: { description: 'They are pinned', schema: PinnedCodesSchema } },
        errors: ['SVC-NAM-001', 'SVC-NAM-002', 'SVC-PIN-002', 'SVC-STO-001']
      }),
      (c) => {
        const { codes, dry_run: dryRun } = c.req.valid('json')
        return c.json<PinnedCodesView>(registry.pinCodes(codes, dryRun))
      }
    )
    .delete(
      '/api/pins/:name',
      endpoint({
        tag: TAG,
        summary: 'Forget what a name means',
        description:
          'The next look decides alone who owns the name: that owner is believed and, once it is seen again, pinned.',
        access: ['admin'],
        parameters: [NAME_PARAMETER],
        answers: { 200: { description: 'It is forgotten', schema: SuccessSchema } },
        errors: ['SVC-NAM-001', 'SVC-NAM-002', 'SVC-PIN-001', 'SVC-PIN-002', 'SVC-STO-001']
      }),
      (c) => {
        registry.forgetPin(c.req.param('name'))
        return c.json({ success: true } as const)
      }
    )
}
