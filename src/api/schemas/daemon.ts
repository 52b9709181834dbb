import * as v from 'valibot'
import { component, CountSchema, NameSchema, TimeSchema } from '../../views/common.ts'
import { mapSchema } from './common.ts'

/** Whether each field exists, fits and can change is the configuration service's to say (SVC-CFG-001, SVC-CFG-002). */
export const ConfigSchema = v.pipe(
  v.looseObject({
    mode: v.optional(v.pipe(v.picklist(['auto', 'full', 'light', 'offline']), v.description('Takes effect at once'))),
    data_dir: v.optional(v.pipe(v.string(), v.description('Cannot change while the daemon runs')))
  }),
  v.metadata({ ref: 'Config' })
)
export type ConfigBody = v.InferOutput<typeof ConfigSchema>

/**
 * An object is all that is asked of it here: an unknown or unfit field is SVC-CFG-001, which the configuration service
 * raises.
 */
export const ConfigPatchSchema = v.pipe(
  mapSchema(v.unknown()),
  v.metadata({ ref: 'ConfigPatch', examples: [{ mode: 'light' }] })
)

export const TokenScopeSchema = v.picklist(['read', 'vdf', 'publish', 'admin'])
export type TokenScope = v.InferOutput<typeof TokenScopeSchema>

export const TokenSchema = component('Token', {
  id: v.string(),
  scopes: v.array(TokenScopeSchema),
  created_at: TimeSchema,
  label: v.nullable(v.string())
})
export type TokenView = v.InferOutput<typeof TokenSchema>
export const TokenListSchema = v.array(TokenSchema)

export const NewTokenSchema = component('NewToken', {
  ...TokenSchema.entries,
  token: v.pipe(v.string(), v.description('Shown once; only its hash is stored'))
})
export type NewTokenBody = v.InferOutput<typeof NewTokenSchema>

export const CreateTokenRequestSchema = component('CreateTokenRequest', {
  scopes: v.pipe(
    v.array(TokenScopeSchema),
    v.minLength(1, 'Expected at least one scope'),
    v.maxLength(4, 'Expected at most four scopes')
  ),
  label: v.optional(v.pipe(v.string(), v.maxLength(100, 'Expected at most 100 characters')))
})
export type CreateTokenRequest = v.InferInput<typeof CreateTokenRequestSchema>

export const RotatedTokenSchema = component('RotatedToken', { token: v.string() })
export type RotatedTokenBody = v.InferOutput<typeof RotatedTokenSchema>

export const ChallengeSchema = component('Challenge', {
  instance: v.pipe(v.string(), v.description('Random for each start of the daemon')),
  proof: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/), v.description('HMAC-SHA256, hex'))
})
export type ChallengeBody = v.InferOutput<typeof ChallengeSchema>

const SecretSchema = v.pipe(v.string(), v.maxLength(512, 'Expected at most 512 characters'))

export const SessionRequestSchema = v.pipe(
  v.union([v.object({ token: SecretSchema }), v.object({ link: SecretSchema })], 'Expected "token" or "link", a text'),
  v.metadata({ ref: 'SessionRequest' })
)

export const LoginLinkSchema = component('LoginLink', {
  link: v.pipe(v.string(), v.length(43), v.description('For one POST /session; `/#login=LINK` opens the dashboard')),
  expires_at: TimeSchema
})
export type LoginLinkBody = v.InferOutput<typeof LoginLinkSchema>

export const SessionSchema = component('Session', { scopes: v.array(TokenScopeSchema) })
export type SessionBody = v.InferOutput<typeof SessionSchema>

export const SessionOpenedSchema = component('SessionOpened', {
  ...SessionSchema.entries,
  secret: v.pipe(v.string(), v.length(43), v.description('For the header X-Session-Secret; shown once'))
})
export type SessionOpenedBody = v.InferOutput<typeof SessionOpenedSchema>

export const DnsFlushSchema = component('DnsFlush', { name: v.optional(NameSchema) })

export const DnsFlushedSchema = component('DnsFlushed', {
  success: v.literal(true),
  flushed: v.pipe(CountSchema, v.description('Names that were known'))
})
export const KeyedHostForgottenSchema = component('KeyedHostForgotten', {
  success: v.literal(true),
  forgotten: v.pipe(v.boolean(), v.description('Whether it was remembered'))
})
export type KeyedHostForgottenBody = v.InferOutput<typeof KeyedHostForgottenSchema>

export type DnsFlushedBody = v.InferOutput<typeof DnsFlushedSchema>

/** An event of the daemon, as its stream sends it. `at`: RFC 3339. */
export interface DaemonEvent {
  id: number
  at: string
  type: string
  detail: Record<string, unknown>
}

export const HealthSchema = component('Health', { status: v.literal('ok'), version: v.string() })
export type HealthBody = v.InferOutput<typeof HealthSchema>

/** A refusal never quotes the passphrase. */
const NO_PASSPHRASE = 'must be a text of 1 to 4096 bytes'

export const UnlockRequestSchema = v.pipe(
  v.object({
    passphrase: v.optional(
      v.pipe(
        v.string(NO_PASSPHRASE),
        v.minLength(1, NO_PASSPHRASE),
        v.maxLength(4096, NO_PASSPHRASE),
        v.description('As `chronym key passphrase` set it')
      )
    ),
    passphrase_hex: v.optional(
      v.pipe(
        v.string(NO_PASSPHRASE),
        v.minLength(2, NO_PASSPHRASE),
        v.maxLength(8192, NO_PASSPHRASE),
        v.metadata({ pattern: '^(?:[0-9a-fA-F]{2})+$' }),
        v.description('In its place, its octets: a passphrase file need not be UTF-8')
      )
    )
  }),
  v.metadata({
    ref: 'UnlockRequest',
    oneOf: [{ required: ['passphrase'] }, { required: ['passphrase_hex'] }],
    examples: [{ passphrase: 'correct horse battery' }]
  })
)

export const SeedSchema = component('Seed', {
  state: v.pipe(
    v.picklist(['unlocked', 'locked']),
    v.description('`locked`: what needs a signature waits or is refused with SVC-KEY-006')
  ),
  sealed: v.pipe(v.boolean(), v.description('Whether a passphrase protects the seed on the disk')),
  kept_elsewhere: v.pipe(v.boolean(), v.description('Whether the words were checked or a backup was made')),
  waiting: v.pipe(
    v.array(
      v.object({
        what: v.pipe(
          v.picklist(['register', 'renew', 'adopt']),
          v.description(
            '`register`, `renew`: a task whose next step needs a signature. `adopt`: a name or identity that ' +
              'the daemon looks for'
          )
        ),
        name: v.pipe(v.string(), v.description('A name or a DID')),
        task_id: v.nullable(v.string())
      })
    ),
    v.description('What resumes automatically once the seed is unlocked')
  )
})
export type SeedBody = v.InferOutput<typeof SeedSchema>

export const ConnectRequestSchema = component('ConnectRequest', {
  address: v.pipe(
    v.string(),
    v.maxLength(300),
    v.description('Multiaddr, such as /ip4/192.0.2.1/tcp/7469/p2p/12D3KooW...; without a peer id it takes any peer')
  )
})
