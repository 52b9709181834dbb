/** The connection to a farm's NATS server, and what has to be there: a work queue, and a bucket for states and proofs. */
import { isIP } from 'node:net'
import { checkServerIdentity, type ConnectionOptions } from 'node:tls'
import {
  AckPolicy,
  DiscardPolicy,
  JetStreamApiError,
  jetstream,
  type JetStreamClient,
  type JetStreamManager,
  jetstreamManager,
  RetentionPolicy
} from '@nats-io/jetstream'
import { type KV, Kvm } from '@nats-io/kv'
import { type NatsConnection, type NodeConnectionOptions } from '@nats-io/transport-node'
import { connectBounded } from './bounded-transport.ts'
import { authenticatorOf } from './credentials.ts'
import { namesOf, type Names } from './messages.ts'

/** Where the farm is, and who we are there. */
export interface FarmAddress {
  /** Several of one cluster have commas between. */
  readonly url: string
  /** A .creds file, or the seed of an nkey; empty: none. */
  readonly credentials: string
  /** PEM of the authority that signed the server's certificate; empty: those of this machine. */
  readonly ca: string
  /** {@link Names} are of one network. */
  readonly network: string
  /** Servers that keep each message and state; fewer are made as many. Undefined: those that there are, at first one. */
  readonly replicas?: number
}

export interface FarmTimes {
  /** Between two reports of a worker, which keep its message. */
  readonly reportMs: number
  /** A message whose worker is silent for that long goes to another. */
  readonly silentMs: number
  /** Between two looks of the daemon at what nobody reports. */
  readonly lookMs: number
  /** After that long without any worker a task comes home. */
  readonly homeMs: number
}

export const FARM_TIMES: FarmTimes = { reportMs: 2000, silentMs: 30_000, lookMs: 15_000, homeMs: 60_000 }

/** The server's code for a message that it could not store: its subject has one, or a file is gone, or all is full. */
const STORE_FAILED = 10_077
const NOT_STORED = /per subject|no such file/u
const QUEUE_CONSUMER = 'workers'
/** Threads that may wait for work at once; the server's own limit is 512, and it refuses the others. */
const MAX_WAITING = 65_536
/** What no daemon fetched by then is of nobody any more. */
const KEPT_MS = 90 * 24 * 60 * 60 * 1000
const RECONNECT_MS = 1000
/** A server that answers two of them with nothing is gone. */
const PING_MS = 10_000
const NS_PER_MS = 1_000_000

/**
 * Rejects where the server cannot be reached, or refuses. `refused` is told why a connection was ended here, then and
 * later.
 */
export async function openLink(
  address: FarmAddress,
  times: FarmTimes,
  refused: (reason: string) => void = () => undefined
): Promise<Link> {
  const { url, credentials, ca } = address
  const options: NodeConnectionOptions = {
    servers: url.split(','),
    maxReconnectAttempts: -1,
    reconnectTimeWait: RECONNECT_MS,
    pingInterval: PING_MS,
    ignoreAuthErrorAbort: true,
    ...(credentials !== '' && { authenticator: authenticatorOf(credentials) }),
    ...((ca !== '' || url.includes('tls:')) && { tls: { ...(ca !== '' && { caFile: ca }), ...identityCheck(url) } })
  }
  const connection = await connectBounded(options, refused)
  try {
    return await Link.over(connection, address, times)
  } catch (error) {
    await connection.close()
    throw error
  }
}

/**
 * The library tells Node no host where a URL has an IP address, and Node looks for `localhost` in the certificate then.
 * It hands these options on to `tls.connect`, also those that its types leave out.
 */
function identityCheck(url: string): Pick<ConnectionOptions, 'checkServerIdentity'> {
  const hosts = url.split(',').map((each) => URL.parse(each)?.hostname.replace(/^\[(.*)\]$/u, '$1') ?? '')
  const unnamed = hosts.filter((host) => host === 'localhost' || isIP(host) !== 0)
  if (unnamed.length === 0) return {}
  return {
    checkServerIdentity(host, certificate) {
      const faults = (host === 'localhost' ? unnamed : [host]).map((each) => checkServerIdentity(each, certificate))
      return faults.includes(undefined) ? undefined : faults[0]
    }
  }
}

export const NO_SERVER = 'what answers sends what no NATS server sends; the connection is ended, and made once more'

/** What to say where the server refuses a subscription: without it all else goes on, and looks as if nobody was there. */
export function mayNotHear(who: string, what: string, subject: string): string {
  return `the key of ${who} may not hear ${what}: at the server, let it subscribe to ${subject.replace(/\..*/u, '.>')}`
}

export class Link {
  readonly connection: NatsConnection
  readonly names: Names
  readonly times: FarmTimes
  readonly js: JetStreamClient
  readonly #manager: JetStreamManager
  readonly #replicas: number
  #kv!: KV
  #connected = true
  /** When the bucket was made. */
  #bucketMade = ''
  /** Counts what makes an attempt to recover one of the past. */
  #turn = 0
  /** Rejects what waits for an answer. */
  readonly #waiting = new Set<(error: Error) => void>()

  private constructor(
    connection: NatsConnection,
    { network, replicas = 1 }: FarmAddress,
    times: FarmTimes,
    manager: JetStreamManager
  ) {
    this.connection = connection
    this.names = namesOf(network)
    this.#replicas = replicas
    this.times = times
    this.js = jetstream(connection)
    this.#manager = manager
  }

  static async over(connection: NatsConnection, address: FarmAddress, times: FarmTimes): Promise<Link> {
    const link = new Link(connection, address, times, await jetstreamManager(connection))
    await link.#ensure()
    void link.#follow()
    return link
  }

  /** And whether all that has to be there is there. */
  get connected(): boolean {
    return this.#connected
  }

  /** The server answers otherwise than it should: somebody may have deleted what has to be there. */
  doubt(): void {
    if (!this.#connected) return
    this.#connected = false
    void this.#recover()
  }

  get kv(): KV {
    return this.#kv
  }

  /** Another one once the server has lost its disk, and counts revisions from 1 again. */
  get life(): string {
    return this.#bucketMade
  }

  /**
   * Saves a value, where `previous` is the revision that it replaces. Rejects at once when the connection is lost: the
   * client would wait for an answer that never comes. Nor is anything saved before {@link life} is known again.
   */
  async put(key: string, value: Uint8Array, previous?: number): Promise<number> {
    if (!this.#connected) throw new Error('the connection to the farm is lost')
    const options = previous === undefined ? {} : { previousSeq: previous }
    const { promise, resolve, reject } = Promise.withResolvers<number>()
    this.#waiting.add(reject)
    this.#kv.put(key, value, options).then(resolve, reject)
    try {
      return await promise
    } finally {
      this.#waiting.delete(reject)
    }
  }

  async addWork(job: string, data: Uint8Array): Promise<void> {
    for (let attempt = 0; attempt < 2; attempt++)
      if ((await this.#publishWork(job, data)) || (await this.hasWork(job))) return
    // nats-server 2.9.10 removes the files of a queue that is made again at once after it was deleted, and then counts
    // messages that it does not have. An empty queue works again. Each daemon sends again what it misses.
    await this.#manager.streams.purge(this.names.queue)
    if (await this.#publishWork(job, data)) return
    throw new Error(`the server has lost files of the stream ${this.names.queue}: delete the stream`)
  }

  /** False where the server counts a message that it may not have, or misses its files. */
  async #publishWork(job: string, data: Uint8Array): Promise<boolean> {
    try {
      await this.js.publish(this.names.work(job), data)
      return true
    } catch (error) {
      if (error instanceof JetStreamApiError && error.code === STORE_FAILED && NOT_STORED.test(error.message))
        return false
      throw error
    }
  }

  async hasWork(job: string): Promise<boolean> {
    return (await this.#sequenceOf(job)) !== undefined
  }

  /**
   * Takes the message back, and leaves what was saved. Not by a purge of its subject: after one, nats-server 2.9.10
   * never delivers what others have in the queue.
   */
  async takeBack(job: string): Promise<void> {
    const sequence = await this.#sequenceOf(job)
    if (sequence !== undefined) await this.#manager.streams.deleteMessage(this.names.queue, sequence)
  }

  /** Takes back the work, and all that was saved for it. A worker that does not hear of it notices when it saves next. */
  async forget(job: string): Promise<void> {
    this.connection.publish(this.names.stop(job), 'discard')
    await this.takeBack(job)
    await this.discard(job)
  }

  /** Takes back all that was saved. */
  async discard(job: string): Promise<void> {
    await this.#manager.streams.purge(`KV_${this.names.bucket}`, { filter: `$KV.${this.names.bucket}.${job}.>` })
  }

  async #sequenceOf(job: string): Promise<number | undefined> {
    const query = { last_by_subj: this.names.work(job) }
    return (await this.#manager.streams.getMessage(this.names.queue, query))?.seq
  }

  async consumer(): ReturnType<JetStreamClient['consumers']['get']> {
    return this.js.consumers.get(this.names.queue, QUEUE_CONSUMER)
  }

  async close(): Promise<void> {
    await this.connection.close()
  }

  /** What the operator made is left as it is, but for fewer replicas than there are to be. */
  async #ensure(): Promise<void> {
    const { streams, consumers } = this.#manager
    const { queue, bucket } = this.names
    const replicas = this.#replicas
    if (!(await this.#hasStream(queue)))
      await streams.add({
        name: queue,
        subjects: [this.names.work('*')],
        retention: RetentionPolicy.Workqueue,
        discard: DiscardPolicy.New,
        num_replicas: replicas,
        max_msgs_per_subject: 1,
        discard_new_per_subject: true
      })
    if ((await found(consumers.info(queue, QUEUE_CONSUMER))) === undefined)
      await consumers.add(queue, {
        durable_name: QUEUE_CONSUMER,
        ack_policy: AckPolicy.Explicit,
        ack_wait: this.times.silentMs * NS_PER_MS,
        max_ack_pending: -1,
        max_waiting: MAX_WAITING
      })
    const buckets = new Kvm(this.js)
    const stream = `KV_${bucket}`
    if (!(await this.#hasStream(stream))) await buckets.create(bucket, { history: 1, ttl: KEPT_MS, replicas })
    this.#kv = await buckets.open(bucket)
    this.#bucketMade = (await streams.info(stream)).created
  }

  /** Whether it is there. One with fewer replicas gets as many as there are to be. */
  async #hasStream(name: string): Promise<boolean> {
    const { streams } = this.#manager
    const there = await found(streams.info(name))
    if (there !== undefined && there.config.num_replicas < this.#replicas)
      await streams.update(name, { num_replicas: this.#replicas })
    return there !== undefined
  }

  async #follow(): Promise<void> {
    for await (const { type } of this.connection.status()) {
      if (type === 'disconnect') {
        this.#turn++
        this.#connected = false
        for (const reject of this.#waiting) reject(new Error('the connection to the farm is lost'))
      }
      // The server may have lost its disk.
      if (type === 'reconnect') void this.#recover()
    }
    this.#turn++
    this.#connected = false
  }

  /** A server that has just started may not be ready. */
  async #recover(): Promise<void> {
    const turn = ++this.#turn
    while (turn === this.#turn) {
      const isThere = await this.#ensure().then(
        () => true,
        () => false
      )
      if (turn !== this.#turn) return
      this.#connected = isThere
      if (isThere) return
      await new Promise((resolve) => setTimeout(resolve, RECONNECT_MS).unref())
    }
  }
}

/** Undefined where it is not there. */
async function found<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked
  } catch (error) {
    if (error instanceof JetStreamApiError && error.status === 404) return undefined
    if ((error as Error).name.endsWith('NotFoundError')) return undefined
    throw error
  }
}
