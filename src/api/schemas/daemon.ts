import * as v from 'valibot'
import { CountSchema, NameSchema, TimeSchema } from '../../views/common.ts'
import { mapSchema } from './common.ts'

/** Whether each field exists, fits and can change is the configuration service's to say (SVC-CFG-001, SVC-CFG-002). */
export const ConfigSchema = v.pipe(
  v.looseObject({
    mode: v.optional(v.pipe(v.picklist(['full', 'light', 'offline']), v.description('Takes effect at once'))),
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

const ConfigSourceSchema = v.picklist(['default', 'file', 'run time', 'environment', 'flag'])

export const ConfigFieldSchema = v.pipe(
  v.object({
    field: v.string(),
    value: v.unknown(),
    source: ConfigSourceSchema,
    changeable: v.pipe(v.boolean(), v.description('It can change while the daemon runs')),
    help: v.pipe(v.string(), v.description('What it is for')),
    kind: v.picklist(['string', 'number', 'boolean', 'list']),
    choices: v.pipe(v.nullable(v.array(v.string())), v.description('The values it may have; null where others fit')),
    flag: v.pipe(v.string(), v.description('Of chronymd')),
    environment: v.pipe(v.string(), v.description('The variable that sets it')),
    otherwise: v.optional(
      v.pipe(
        v.object({ value: v.unknown(), source: ConfigSourceSchema }),
        v.description('Of a field set at run time: what applies once that is unset')
      )
    )
  }),
  v.metadata({ ref: 'ConfigField' })
)
export type ConfigFieldView = v.InferOutput<typeof ConfigFieldSchema>
export const ConfigFieldListSchema = v.array(ConfigFieldSchema)

export const TokenScopeSchema = v.picklist(['read', 'vdf', 'publish', 'admin'])
export type TokenScope = v.InferOutput<typeof TokenScopeSchema>

export const TokenSchema = v.pipe(
  v.object({
    id: v.string(),
    scopes: v.array(TokenScopeSchema),
    created_at: TimeSchema,
    label: v.nullable(v.string())
  }),
  v.metadata({ ref: 'Token' })
)
export type TokenView = v.InferOutput<typeof TokenSchema>
export const TokenListSchema = v.array(TokenSchema)

export const NewTokenSchema = v.pipe(
  v.object({ ...TokenSchema.entries, token: v.pipe(v.string(), v.description('Shown once; only its hash is stored')) }),
  v.metadata({ ref: 'NewToken' })
)
export type NewTokenBody = v.InferOutput<typeof NewTokenSchema>

export const CreateTokenRequestSchema = v.pipe(
  v.object({
    scopes: v.pipe(
      v.array(TokenScopeSchema),
      v.minLength(1, 'Expected at least one scope'),
      v.maxLength(4, 'Expected at most four scopes')
    ),
    label: v.optional(v.pipe(v.string(), v.maxLength(100, 'Expected at most 100 characters')))
  }),
  v.metadata({ ref: 'CreateTokenRequest' })
)
export type CreateTokenRequest = v.InferInput<typeof CreateTokenRequestSchema>

export const RotatedTokenSchema = v.pipe(v.object({ token: v.string() }), v.metadata({ ref: 'RotatedToken' }))
export type RotatedTokenBody = v.InferOutput<typeof RotatedTokenSchema>

export const ChallengeSchema = v.pipe(
  v.object({
    instance: v.pipe(v.string(), v.description('Random for each start of the daemon')),
    proof: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/), v.description('HMAC-SHA256, hex'))
  }),
  v.metadata({ ref: 'Challenge' })
)
export type ChallengeBody = v.InferOutput<typeof ChallengeSchema>

const SecretSchema = v.pipe(v.string(), v.maxLength(512, 'Expected at most 512 characters'))

export const SessionRequestSchema = v.pipe(
  v.union([v.object({ token: SecretSchema }), v.object({ link: SecretSchema })], 'Expected "token" or "link", a text'),
  v.metadata({ ref: 'SessionRequest' })
)

export const LoginLinkSchema = v.pipe(
  v.object({
    link: v.pipe(v.string(), v.length(43), v.description('For one POST /session; `/#login=LINK` opens the dashboard')),
    expires_at: TimeSchema
  }),
  v.metadata({ ref: 'LoginLink' })
)
export type LoginLinkBody = v.InferOutput<typeof LoginLinkSchema>

export const SessionSchema = v.pipe(v.object({ scopes: v.array(TokenScopeSchema) }), v.metadata({ ref: 'Session' }))
export type SessionBody = v.InferOutput<typeof SessionSchema>

export const SessionOpenedSchema = v.pipe(
  v.object({
    ...SessionSchema.entries,
    secret: v.pipe(v.string(), v.length(43), v.description('For the header X-Session-Secret; shown once'))
  }),
  v.metadata({ ref: 'SessionOpened' })
)
export type SessionOpenedBody = v.InferOutput<typeof SessionOpenedSchema>

export const DnsFlushSchema = v.pipe(v.object({ name: v.optional(NameSchema) }), v.metadata({ ref: 'DnsFlush' }))

export const DnsFlushedSchema = v.pipe(
  v.object({ success: v.literal(true), flushed: v.pipe(CountSchema, v.description('Names that were known')) }),
  v.metadata({ ref: 'DnsFlushed' })
)
export type DnsFlushedBody = v.InferOutput<typeof DnsFlushedSchema>

export const EventSchema = v.pipe(
  v.object({ id: CountSchema, at: TimeSchema, type: v.string(), detail: v.record(v.string(), v.unknown()) }),
  v.metadata({ ref: 'Event' })
)
export type DaemonEvent = v.InferOutput<typeof EventSchema>

export const HealthSchema = v.pipe(
  v.object({ status: v.literal('ok'), version: v.string() }),
  v.metadata({ ref: 'Health' })
)
export type HealthBody = v.InferOutput<typeof HealthSchema>

export const ReadinessSchema = v.pipe(
  v.object({
    ready: v.boolean(),
    checks: v.array(
      v.object({
        name: v.string(),
        ok: v.boolean(),
        detail: v.string(),
        warning: v.optional(v.pipe(v.boolean(), v.description('It works, but needs attention')))
      })
    )
  }),
  v.metadata({ ref: 'Readiness' })
)
export type ReadinessBody = v.InferOutput<typeof ReadinessSchema>
export type ReadinessCheck = ReadinessBody['checks'][number]

/** A refusal never quotes the passphrase. */
const NO_PASSPHRASE = 'must be a text of 1 to 4096 bytes'

export const UnlockRequestSchema = v.pipe(
  v.object({
    passphrase: v.pipe(
      v.string(NO_PASSPHRASE),
      v.minLength(1, NO_PASSPHRASE),
      v.maxLength(4096, NO_PASSPHRASE),
      v.description('As `chronym key passphrase` set it')
    )
  }),
  v.metadata({ ref: 'UnlockRequest' })
)

export const SeedSchema = v.pipe(
  v.object({
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
  }),
  v.metadata({ ref: 'Seed' })
)
export type SeedBody = v.InferOutput<typeof SeedSchema>

export const ConnectRequestSchema = v.pipe(
  v.object({
    address: v.pipe(
      v.string(),
      v.maxLength(300),
      v.description('Multiaddr, such as /ip4/192.0.2.1/tcp/7469/p2p/12D3KooW...; without a peer id it takes any peer')
    )
  }),
  v.metadata({ ref: 'ConnectRequest' })
)
