/** A worker of a farm: takes evaluations from the queue and runs them on this machine's pool. It keeps no file. */
import type { JsMsg } from '@nats-io/jetstream'
import type { NativePool } from '../native/types.ts'
import { FARM_TIMES, type FarmAddress, type FarmTimes, type Link, NO_SERVER, openLink } from './link.ts'
import { decodeJob, encodeAlive } from './messages.ts'
import { WorkerTask, type WorkerLog } from './worker-task.ts'

/** How long one question for work waits. */
const ASK_MS = 5000
const MAX_ASK_MS = 3 * ASK_MS
const RETRY_MS = 1000

interface WorkerParts {
  readonly address: FarmAddress
  readonly pool: Pick<NativePool, 'evaluate'>
  readonly threads: number
  /** What it is called in reports. */
  readonly name: string
  /** Ends after one evaluation. */
  readonly once?: boolean
  readonly log: WorkerLog
  readonly times?: FarmTimes
}

/** Works until `signal` aborts; then it saves what it has reached and gives it back. */
export async function runWorker(parts: WorkerParts, signal: AbortSignal): Promise<void> {
  const { address, threads, log, name, times = FARM_TIMES } = parts
  const link = await reach(address, times, log, signal)
  if (link === undefined) return
  const worker = new Worker(parts, link, signal)
  const alive = setInterval(() => worker.tellAlive(), times.reportMs)
  worker.tellAlive()
  log.info({ farm: address.url, worker: name, threads }, 'the worker takes work')
  try {
    await Promise.all(Array.from({ length: threads }, () => worker.loop()))
  } finally {
    clearInterval(alive)
    worker.tellAlive(true)
    await link.connection.flush().catch(() => undefined)
    await link.close()
  }
}

async function reach(
  address: FarmAddress,
  times: FarmTimes,
  log: WorkerLog,
  signal: AbortSignal
): Promise<Link | undefined> {
  for (let attempt = 0; !signal.aborted; attempt++) {
    try {
      return await openLink(address, times, (reason) => log.warn({ farm: address.url, reason }, NO_SERVER))
    } catch (error) {
      if (attempt === 0)
        log.warn({ farm: address.url, err: error }, 'the farm cannot be reached; the worker tries again')
      await rest(RETRY_MS, signal)
    }
  }
  return undefined
}

class Worker {
  readonly #parts: WorkerParts
  readonly #link: Link
  readonly #signal: AbortSignal
  readonly #tasks = new Set<WorkerTask>()

  constructor(parts: WorkerParts, link: Link, signal: AbortSignal) {
    this.#parts = parts
    this.#link = link
    this.#signal = signal
  }

  tellAlive(leaving = false): void {
    const { name, threads } = this.#parts
    const tasks = [...this.#tasks]
    const squaringsPerSecond = tasks.reduce((sum, task) => sum + task.squaringsPerSecond(), 0)
    const jobs = tasks.map(({ job }) => job)
    const alive = encodeAlive({ worker: name, threads, busy: tasks.length, squaringsPerSecond, jobs, leaving })
    if (this.#link.connected) this.#link.connection.publish(this.#link.names.alive, alive)
  }

  /** One thread's work. */
  async loop(): Promise<void> {
    const hasEnded = (): boolean => this.#signal.aborted
    while (!hasEnded()) {
      try {
        const message = await this.#ask()
        if (message === null) continue
        // It came too late.
        if (hasEnded()) message.nak()
        else await this.#work(message)
        if (this.#parts.once === true) return
      } catch (error) {
        if (hasEnded()) return
        this.#link.doubt()
        this.#parts.log.warn({ err: error }, 'the farm did not answer as it should; the worker tries again')
        await rest(RETRY_MS, this.#signal)
      }
    }
  }

  /** The next message; null where there is none, or the worker is to end. */
  async #ask(): Promise<JsMsg | null> {
    const consumer = await this.#link.consumer()
    const messages = await consumer.fetch({ max_messages: 1, expires: ASK_MS })
    const stop = (): void => messages.stop()
    // The client counts heartbeats, but not while it thinks the connection lost.
    const late = setTimeout(() => messages.stop(new Error('the farm does not answer')), MAX_ASK_MS)
    this.#signal.addEventListener('abort', stop)
    try {
      for await (const message of messages) return message
      return null
    } finally {
      clearTimeout(late)
      this.#signal.removeEventListener('abort', stop)
      stop()
    }
  }

  async #work(message: JsMsg): Promise<void> {
    const { pool, name, log } = this.#parts
    const job = message.subject.split('.').at(-1)!
    const asked = decodeJob(job, message.data)
    if (asked === undefined) {
      log.warn({ job }, 'a message of another version is left to others')
      message.nak(ASK_MS)
      return
    }
    const task = new WorkerTask({ link: this.#link, pool, name, log, job, ...asked, message })
    this.#tasks.add(task)
    // Before its first report: a daemon counts threads that are idle.
    this.tellAlive()
    const stop = (): void => task.stop('drain')
    this.#signal.addEventListener('abort', stop)
    try {
      await task.run()
    } finally {
      this.#signal.removeEventListener('abort', stop)
      this.#tasks.delete(task)
      this.tellAlive()
    }
  }
}

async function rest(milliseconds: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return
  const { promise, resolve } = Promise.withResolvers<undefined>()
  const end = (): void => resolve(undefined)
  const timer = setTimeout(end, milliseconds)
  signal.addEventListener('abort', end)
  await promise
  clearTimeout(timer)
  signal.removeEventListener('abort', end)
}
