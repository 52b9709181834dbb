/** `chronym worker`: squares for daemons on other machines, until it is told to end. */
import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import { isNatsUrls } from '../../config/nats-url.ts'
import { makeKey, requireFitFiles, UnfitFile } from '../../farm/credentials.ts'
import { farmNetwork, WORKER_NAME } from '../../farm/messages.ts'
import { runWorker } from '../../farm/worker.ts'
import { createLogger } from '../../log.ts'
import { createNativePool } from '../../native/pool/pool.ts'
import { NativeError } from '../../native/types.ts'
import { profileHash } from '../../protocol/profile/profile.ts'
import { loadProfile } from '../connection/location.ts'
import type { Context } from '../context.ts'
import { inputFailure, messageOf, usageFailure } from '../failures/failure.ts'
import { printable } from '../terminal/format.ts'

interface WorkerOptions {
  farm: string
  threads: number
  credentials?: string
  ca?: string
  network?: string
  label?: string
  once?: boolean
}

export async function runWorkerCommand(context: Context, options: WorkerOptions): Promise<void> {
  const { farm: url, threads, credentials = '', ca = '', network, once = false } = options
  if (!isNatsUrls(url))
    throw usageFailure(`--farm ${url}: it must be the URL of a NATS server such as nats://farm.example:4222`)
  const name = options.label ?? `${hostname().slice(0, 40)}-${randomBytes(4).toString('hex')}`
  if (!WORKER_NAME.test(name)) throw usageFailure(`--label ${name}: at most 80 letters, digits and _ . : -`)
  const ends = context.signal
  requireFit({ credentials, ca })
  const profile = loadProfile(context, network)
  const log = createLogger('info')
  const pool = createNativePool({ evaluationThreads: threads, provingThreads: threads, auxiliaryThreads: 1 })
  try {
    if (pool.missingAddon !== undefined) throw new NativeError('ADDON_MISSING', pool.missingAddon)
    const address = { url, credentials, ca, network: farmNetwork(profileHash(profile)) }
    await runWorker({ address, pool, threads, name, once, log }, ends)
  } finally {
    await pool.close()
  }
}

/** `chronym farm key FILE`. */
export function makeFarmKey(context: Context, _options: unknown, file: string): void {
  let publicKey: string
  try {
    publicKey = makeKey(file)
  } catch (error) {
    const isThere = (error as NodeJS.ErrnoException).code === 'EEXIST'
    throw inputFailure(
      isThere ? `${file} is there already; nothing was written` : `${file} can't be written: ${messageOf(error)}`,
      isThere ? 'Name a file that is not there yet.' : undefined,
      error
    )
  }
  context.output.plain({ public_key: publicKey, file }, publicKey)
  context.output.note(
    `The seed is in ${printable(file)}. Give the public key to the server: users: [ { nkey: ${publicKey} } ]`
  )
}

/** What can never work ends it, instead of being tried for as long as it runs. */
function requireFit(files: Parameters<typeof requireFitFiles>[0]): void {
  try {
    requireFitFiles(files)
  } catch (error) {
    if (error instanceof UnfitFile) throw inputFailure(error.message, undefined, error)
    throw error
  }
}
