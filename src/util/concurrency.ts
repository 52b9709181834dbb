/** Bounds what runs at the same time, in all and for each holder. */
export class ConcurrencyLimit {
  readonly #total: number
  readonly #each: number
  readonly #taken = new Map<string, number>()
  #sum = 0

  constructor(total: number, each: number) {
    this.#total = total
    this.#each = each
  }

  /** Takes `count` places; undefined when fewer are free. The returned function gives them back, once. */
  take(holder: string, count = 1): (() => void) | undefined {
    const own = (this.#taken.get(holder) ?? 0) + count
    if (this.#sum + count > this.#total || own > this.#each) return undefined
    this.#sum += count
    this.#taken.set(holder, own)
    let given = false
    return () => {
      if (given) return
      given = true
      this.#sum -= count
      const left = this.#taken.get(holder)! - count
      if (left === 0) this.#taken.delete(holder)
      else this.#taken.set(holder, left)
    }
  }
}

/** Runs actions of one key one after the other; those of different keys do not wait for each other. */
export class KeyedMutex {
  readonly #tails = new Map<string, Promise<unknown>>()

  async run<T>(key: string, action: () => Promise<T>): Promise<T> {
    const before = this.#tails.get(key) ?? Promise.resolve()
    // The next one starts whether this one fails or not; its failure goes to its own caller.
    const own = before.then(action, action)
    this.#tails.set(key, own)
    try {
      return await own
    } finally {
      if (this.#tails.get(key) === own) this.#tails.delete(key)
    }
  }
}

/** Runs a number of actions at once; the others wait for their turn, in the order in which they came. */
export class Turns {
  #free: number
  readonly #waiting: (() => void)[] = []

  constructor(atOnce: number) {
    this.#free = atOnce
  }

  /** Rejects with the action's error, or with the signal's reason where that comes before its turn. */
  async run<T>(action: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted()
    if (this.#free > 0) this.#free--
    else await this.#turn(signal)
    try {
      return await action()
    } finally {
      this.#pass()
    }
  }

  async #turn(signal: AbortSignal | undefined): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<undefined>()
    const begin = (): void => resolve(undefined)
    this.#waiting.push(begin)
    try {
      await (signal === undefined ? promise : orAborted(promise, signal))
    } catch (error) {
      const at = this.#waiting.indexOf(begin)
      if (at === -1) this.#pass()
      else this.#waiting.splice(at, 1)
      throw error
    }
  }

  #pass(): void {
    const next = this.#waiting.shift()
    if (next === undefined) this.#free++
    else next()
  }
}

/**
 * Calls `action` with each item, `atOnce` of them at the same time. Rejects with the first error; each worker ends at
 * its own first one.
 */
export async function forEachConcurrently<T>(
  items: Iterable<T>,
  atOnce: number,
  action: (item: T) => Promise<void>
): Promise<void> {
  const all = [...items].values()
  const work = async (): Promise<void> => {
    for (const item of all) await action(item)
  }
  await Promise.all(Array.from({ length: atOnce }, work))
}

/**
 * The promise's result, or the signal's reason if that is first. The promise continues for its other callers. Nothing
 * stays on the signal, which may live as long as the process: what listens to it is kept, with all that it refers to.
 */
export async function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>()
  const onAbort = (): void => aborted.reject(signal.reason as Error)
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await Promise.race([promise, aborted.promise])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}

interface Shared<T> {
  readonly promise: Promise<T>
  readonly end: AbortController
  callers: number
}

/** Work that its callers share while it is under way, by key. It is aborted once all of them have left. */
export class SharedWork<T> {
  readonly #underWay = new Map<string, Shared<T>>()

  /** Rejects with the work's error, or the signal's reason. */
  async run(key: string, work: (signal: AbortSignal) => Promise<T>, signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted()
    const shared = this.#underWay.get(key) ?? this.#begin(key, work)
    shared.callers++
    try {
      return await (signal === undefined ? shared.promise : orAborted(shared.promise, signal))
    } finally {
      if (--shared.callers === 0) {
        this.#forget(key, shared)
        shared.end.abort(new Error('nobody waits for it'))
      }
    }
  }

  #begin(key: string, work: (signal: AbortSignal) => Promise<T>): Shared<T> {
    const end = new AbortController()
    const promise = work(end.signal).finally(() => this.#forget(key, shared))
    const shared = { promise, end, callers: 0 }
    this.#underWay.set(key, shared)
    return shared
  }

  #forget(key: string, shared: Shared<T>): void {
    if (this.#underWay.get(key) === shared) this.#underWay.delete(key)
  }
}
