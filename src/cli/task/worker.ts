/** `chronym worker`: squares for daemons on other machines, until it is told to end. */
import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import { farmNetwork } from '../../farm/messages.ts'
import { runWorker } from '../../farm/worker.ts'
import { createLogger } from '../../log.ts'
import { createNativePool } from '../../native/pool/pool.ts'
import { NativeError } from '../../native/types.ts'
import { profileHash } from '../../protocol/profile/profile.ts'
import { loadProfile } from '../connection/location.ts'
import type { Context } from '../context.ts'
import { usageFailure } from '../failures/failure.ts'

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
  if (!url.split(',').every((one) => /^(?:nats|tls):\/\/[^\s/@]+$/u.test(one)))
    throw usageFailure(`--farm ${url}: it must be the URL of a NATS server such as nats://farm.example:4222`)
  const name = options.label ?? `${hostname().slice(0, 40)}-${randomBytes(4).toString('hex')}`
  if (!/^[\w.:-]{1,80}$/u.test(name)) throw usageFailure(`--label ${name}: at most 80 letters, digits and _ . : -`)
  const profile = loadProfile(context, network)
  const log = createLogger('info')
  const pool = createNativePool({ evaluationThreads: threads, provingThreads: threads, auxiliaryThreads: 1 })
  try {
    if (pool.missingAddon !== undefined) throw new NativeError('ADDON_MISSING', pool.missingAddon)
    const address = { url, credentials, ca, network: farmNetwork(profileHash(profile)) }
    await runWorker({ address, pool, threads, name, once, log }, context.signal)
  } finally {
    await pool.close()
  }
}
