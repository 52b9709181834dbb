import * as v from 'valibot'

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
