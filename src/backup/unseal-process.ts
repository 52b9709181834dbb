/** Opens one sealed seed: scrypt takes a second. */
import { ServiceError } from '../errors.ts'
import { messageOf } from '../protocol/errors.ts'
import { answerApart } from '../util/run-apart.ts'
import { MASK_BYTES, openSeed, type UnsealAnswer, type UnsealRequest } from './sealed-seed.ts'

await answerApart(async (request, secret): Promise<UnsealAnswer> => {
  const { text, path } = request as Omit<UnsealRequest, 'passphrase'>
  try {
    const { seed, resealed } = await openSeed(text, secret.subarray(MASK_BYTES), path)
    return { ok: true, masked: seed.map((byte, index) => byte ^ secret[index]!), resealed }
  } catch (error) {
    return { ok: false, message: messageOf(error), code: error instanceof ServiceError ? error.code : undefined }
  }
})
