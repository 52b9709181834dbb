import * as v from 'valibot'

/** In one request; a longer list takes several. */
export const MOST_CODES = 1_000

export const PinCodesRequestSchema = v.pipe(
  v.object({
    codes: v.pipe(
      v.array(v.pipe(v.string(), v.nonEmpty('Expected a name with its code'), v.maxLength(255))),
      v.minLength(1, 'Expected a name with its code'),
      v.maxLength(MOST_CODES, `Expected at most ${MOST_CODES} codes`),
      v.description('Names with their check codes. Where a label has no room for it, the code follows after a space'),
      v.metadata({ examples: [['alice--7kq2mx.chronym']] })
    ),
    dry_run: v.pipe(v.optional(v.boolean(), false), v.description('Only say what would come of it'))
  }),
  v.metadata({ ref: 'PinCodesRequest' })
)
