/** Takes the questions of the addon's server, and looks names up: a few at a time, each once, misses first. */
import type { DnsQuestion } from '../native/dns.ts'
import { overloadKnowledge, type Knowledge } from './knowledge.ts'

/** Look-ups at a time. Each costs peers some 5 ms of CPU, and takes about a round trip. */
const AT_ONCE = 32
/** Questions that wait, of each kind: more than the names that the server lets queries wait for. */
const WAITING = 512
/** As long as the server lets a query wait. Later, nobody does. */
const PATIENCE_MS = 5_000
/** A name may be published again and again while it is looked up. */
const ATTEMPTS = 3

/** A question that nobody waits for takes a new answer unless more than this share of the kept one's time is left. */
const REFRESH_BELOW = 0.2

interface QuestionsParts {
  /** Never rejects. `leastLeft`: as `Registry.lookUp`. */
  readonly find: (name: string, options: { leastLeft: number; signal: AbortSignal }) => Promise<Knowledge>
  /** Must not throw. */
  readonly learn: (name: string, knowledge: Knowledge) => void
  /** Milliseconds, forward only. */
  readonly nowMs: () => number
}

interface Asked {
  readonly atMs: number
}

export class Questions {
  readonly #parts: QuestionsParts
  readonly #waiting = { miss: new Map<string, Asked>(), refresh: new Map<string, Asked>() }
  /** Whether what is being looked up was dropped meanwhile. */
  readonly #underWay = new Map<string, { isOutdated: boolean }>()
  readonly #runs = new Set<Promise<void>>()
  readonly #stopping = new AbortController()

  constructor(parts: QuestionsParts) {
    this.#parts = parts
  }

  ask({ name, reason }: DnsQuestion): void {
    if (this.#stopping.signal.aborted || this.#underWay.has(name) || this.#waiting.miss.has(name)) return
    const queue = this.#waiting[reason]
    if (reason === 'miss') this.#waiting.refresh.delete(name)
    else if (queue.has(name)) return
    if (queue.size >= WAITING) {
      // What is only refreshed is asked for again.
      if (reason === 'miss') this.#parts.learn(name, overloadKnowledge())
      return
    }
    queue.set(name, { atMs: this.#parts.nowMs() })
    this.#next()
  }

  /** What is known of a name, or of all, no longer holds: a look-up under way is made again. */
  forgotten(name: string | undefined): void {
    for (const [key, state] of this.#underWay) if (name === undefined || key === name) state.isOutdated = true
  }

  /** Ends the look-ups under way; nothing is learned afterwards. */
  async stop(): Promise<void> {
    this.#stopping.abort(new Error('the DNS server stops'))
    await Promise.all(this.#runs)
  }

  #next(): void {
    while (this.#underWay.size < AT_ONCE && !this.#stopping.signal.aborted) {
      const question = this.#take('miss') ?? this.#take('refresh')
      if (question === undefined) return
      const run = this.#run(question).finally(() => {
        this.#underWay.delete(question.name)
        this.#runs.delete(run)
        this.#next()
      })
      this.#runs.add(run)
    }
  }

  #take(reason: DnsQuestion['reason']): DnsQuestion | undefined {
    const queue = this.#waiting[reason]
    for (const [name, { atMs }] of queue) {
      queue.delete(name)
      if (reason === 'refresh' || this.#parts.nowMs() - atMs < PATIENCE_MS) return { name, reason }
    }
    return undefined
  }

  async #run({ name, reason }: DnsQuestion): Promise<void> {
    const { find, learn } = this.#parts
    const { signal } = this.#stopping
    let knowledge: Knowledge
    for (let attempt = 1; ; attempt++) {
      const state: { isOutdated: boolean } = { isOutdated: false }
      this.#underWay.set(name, state)
      knowledge = await find(name, { leastLeft: reason === 'refresh' ? REFRESH_BELOW : 0, signal })
      if (signal.aborted) return
      if (!state.isOutdated) break
      if (attempt === ATTEMPTS) {
        // Those who wait get it, and nobody after them.
        knowledge = unkept(knowledge)
        break
      }
    }
    learn(name, knowledge)
  }
}

function unkept(knowledge: Knowledge): Knowledge {
  return knowledge.kind === 'failed' ? { ...knowledge, freshMs: 0 } : { ...knowledge, freshMs: 0, staleMs: 0 }
}
