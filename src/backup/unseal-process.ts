/**
 * Opens one sealed seed on a thread of its own, which ends with it: scrypt takes a second and would block everything
 * else.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { ServiceError } from '../errors.ts'
import { messageOf } from '../protocol/errors.ts'
import { unsealSeed } from './sealed-seed.ts'
import type { UnsealAnswer, UnsealRequest } from './unseal-on-thread.ts'

async function answer(): Promise<UnsealAnswer> {
  const { text, passphrase, path } = workerData as UnsealRequest
  try {
    return { ok: true, seed: await unsealSeed(text, passphrase, path) }
  } catch (error) {
    return { ok: false, message: messageOf(error), code: error instanceof ServiceError ? error.code : undefined }
  }
}

parentPort!.postMessage(await answer())
