import { Hono } from 'hono'
import type { ResolvedName } from '../../registry/use-cases.ts'
import { encodeBase64 } from '../../util/base64.ts'
import { allows, endpoint } from '../endpoint.ts'
import type { AppEnv } from '../http/request.ts'
import { CODE_PARAMETER, NAME_PARAMETER } from '../openapi/parameters.ts'
import {
  IdentityLogSchema,
  ResolvedIdentitySchema,
  type IdentityLogBody,
  type ResolvedIdentityBody
} from '../schemas/identity.ts'
import { ExplanationSchema } from '../../views/explanation.ts'
import { type RevealBody, RevealSchema } from '../schemas/names.ts'
import type { ApiServices } from '../services.ts'

export const RESOLVE_ERRORS = [
  'SVC-NAM-001',
  'SVC-RES-001',
  'SVC-RES-002',
  'SVC-RES-003',
  'SVC-RES-004',
  'SVC-RES-005',
  'SVC-RES-006'
] as const

const IDENTITY_ERRORS = ['SVC-REQ-001', 'SVC-RES-001', 'SVC-RES-002', 'SVC-RES-004'] as const

const DID_PARAMETER = {
  name: 'did',
  in: 'path',
  description: '`did:<method>:<identifier>`',
  example: 'did:chronym:zQmWvQxTqbG2Z9HPJgG57jjwR154cKhbtJenbyYTWkjgF3e',
  schema: { minLength: 1, maxLength: 255, pattern: '^did:' }
} as const

/** The registry takes a code behind a space. */
export function askedName(name: string, code: string | undefined): string {
  return code === undefined ? name : `${name} ${code}`
}

/** The JSON of an answer that is kept, made once: base64 and JSON of a proof cost more than the rest of the answer. */
const texts = new WeakMap<ResolvedName, string>()

function textOf(resolved: ResolvedName): string {
  const known = texts.get(resolved)
  if (known !== undefined) return known
  const { reveal, checkCode, source, askedAtMs, keysPending, notice } = resolved
  const text = JSON.stringify({
    name: reveal.name,
    pubkey: [...reveal.pubkey],
    drand_pulse: reveal.drand_pulse,
    iterations: reveal.iterations,
    vdf_proof: encodeBase64(reveal.vdf_proof),
    signature: encodeBase64(reveal.signature),
    payload: encodeBase64(reveal.payload),
    check_code: checkCode,
    source,
    ...(askedAtMs !== undefined && { asked_at: new Date(askedAtMs).toISOString() }),
    ...(keysPending && { keys_pending: true }),
    ...(notice && { notice: { pubkey: [...notice.claim.pubkey], final_at: notice.finalAt } })
  } satisfies RevealBody)
  texts.set(resolved, text)
  return text
}

export function resolveRoutes({ registry }: ApiServices) {
  return new Hono<AppEnv>()
    .get(
      '/api/resolve/:name',
      endpoint({
        tag: 'Resolving',
        summary: 'The Reveal of a name',
        description:
          'Reveals the name to peers, except while this daemon registers it: then the answer is ' +
          'SVC-RES-002 unless most peers hold it.',
        access: 'public',
        isLookUp: true,
        parameters: [NAME_PARAMETER, CODE_PARAMETER],
        answers: {
          200: {
            description: 'The record that the owner published',
            schema: RevealSchema,
            headers: {
              'X-Confidence': {
                description:
                  '`settled`; `provisional`: not yet settled; `thin`: fewer answers than a full quorum; `proven`: the ' +
                  'claim has the check code that was asked for',
                schema: { type: 'string' }
              }
            }
          }
        },
        errors: RESOLVE_ERRORS
      }),
      async (c) => {
        const name = askedName(c.req.param('name'), c.req.query('code'))
        // The signal is made when it is asked for: a kept answer needs none.
        const resolved = registry.kept(name) ?? (await registry.resolve(name, c.req.raw.signal))
        return new Response(textOf(resolved), {
          headers: { 'Content-Type': 'application/json', 'X-Confidence': resolved.confidence }
        })
      }
    )
    .get(
      '/api/explain/:name',
      endpoint({
        tag: 'Resolving',
        summary: 'Who owns a name, and why this daemon thinks so',
        description:
          'Who answered what and who was silent, which rule decided, the lease and the state of the name, ' +
          "what this daemon remembers and stores. With a token (scope read) also `own`: this daemon's " +
          'claim, its receipts and its tasks. While this daemon registers the name, it asks peers without ' +
          'revealing it.',
        access: 'public',
        isLookUp: true,
        parameters: [NAME_PARAMETER, CODE_PARAMETER],
        answers: { 200: { description: 'The answers and the rule that decided', schema: ExplanationSchema } },
        errors: ['SVC-NAM-001', 'SVC-NAM-002', 'SVC-RES-001']
      }),
      async (c) => {
        c.header('Vary', 'Authorization, Cookie', { append: true })
        return c.json(
          await registry.explain(askedName(c.req.param('name'), c.req.query('code')), {
            withOwn: allows(c.get('caller'), ['read']),
            signal: c.req.raw.signal
          })
        )
      }
    )
    .get(
      '/api/resolve-kid/:did',
      endpoint({
        tag: 'Resolving',
        summary: 'The identity document and the capability manifest of a DID',
        access: 'public',
        isLookUp: true,
        parameters: [DID_PARAMETER],
        answers: { 200: { description: 'Both documents', schema: ResolvedIdentitySchema } },
        errors: IDENTITY_ERRORS
      }),
      async (c) =>
        c.json((await registry.resolveIdentity(c.req.param('did'), c.req.raw.signal)) as ResolvedIdentityBody)
    )
    .get(
      '/api/resolve-kid/:did/log',
      endpoint({
        tag: 'Resolving',
        summary: 'All versions of the identity document of a DID',
        description:
          'What a recovery builds on and verifies: the DID follows from version 1, and each version is ' +
          'signed by a key of the one before.',
        access: 'public',
        isLookUp: true,
        parameters: [DID_PARAMETER],
        answers: { 200: { description: 'The valid versions', schema: IdentityLogSchema } },
        errors: IDENTITY_ERRORS
      }),
      async (c) => c.json((await registry.resolveIdentityLog(c.req.param('did'), c.req.raw.signal)) as IdentityLogBody)
    )
}
