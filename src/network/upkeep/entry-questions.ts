/**
 * When unsettled entries are asked about, and how many in parallel: a silent peer must delay neither other questions
 * nor the entries' time.
 */
import { roundsIn } from '../../protocol/time.ts'
import type { Entry } from '../../protocol/admission/entry.ts'
import type { NetworkProfile } from '../../protocol/profile/profile.ts'

const QUESTIONS_PER_SETTLING = 4

/**
 * Parallel questions, each to k peers. 4,096 provisional entries with a majority silent for ten seconds take an hour
 * and a half.
 */
const MAX_UNDER_WAY = 8

interface EntryQuestionsParts {
  readonly profile: NetworkProfile
  /** 0 <= x < 1. */
  readonly random: () => number
  /** Asks about an entry, by K in hex. Does not reject. */
  readonly ask: (id: string) => Promise<void>
}

export class EntryQuestions {
  readonly #parts: EntryQuestionsParts
  readonly #due = new Map<string, number>()
  readonly #ready = new Set<string>()
  readonly #underWay = new Set<Promise<void>>()

  constructor(parts: EntryQuestionsParts) {
    this.#parts = parts
  }

  /** Starts the questions due by round `verified`, as places allow; the others follow. */
  begin(unsettled: ReadonlyMap<string, Entry>, verified: number): void {
    for (const id of this.#due.keys()) {
      if (unsettled.has(id)) continue
      this.#due.delete(id)
      this.#ready.delete(id)
    }
    for (const [id, entry] of unsettled) {
      const interval = questionInterval(entry, this.#parts.profile)
      if (interval === undefined) continue
      const due = this.#due.get(id)
      // The first question comes at a random point of the interval, so that neighbours do not ask simultaneously.
      if (due === undefined) this.#due.set(id, verified + Math.ceil(this.#parts.random() * interval))
      else if (verified >= due) {
        this.#due.set(id, verified + interval)
        this.#ready.add(id)
      }
    }
    this.#fillPlaces()
  }

  /** Starts no more; resolves when none is running. */
  async stop(): Promise<void> {
    this.#ready.clear()
    await Promise.all(this.#underWay)
  }

  #fillPlaces(): void {
    for (const id of this.#ready) {
      if (this.#underWay.size === MAX_UNDER_WAY) return
      this.#ready.delete(id)
      const question = this.#parts.ask(id).finally(() => {
        this.#underWay.delete(question)
        this.#fillPlaces()
      })
      this.#underWay.add(question)
    }
  }
}

/** Rounds between two questions about an entry; undefined for none. */
function questionInterval({ state }: Entry, profile: NetworkProfile): number | undefined {
  if (state === 'settling') return Math.max(1, Math.ceil((profile.settle - profile.contest) / QUESTIONS_PER_SETTLING))
  if (state === 'provisional')
    return Math.max(
      1,
      Math.min(roundsIn(3600, profile.beacon), Math.ceil(profile.provisional_settle / QUESTIONS_PER_SETTLING))
    )
  return undefined
}
