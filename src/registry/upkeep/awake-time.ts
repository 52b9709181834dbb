/**
 * How much of recent wall time this daemon could have spent on renewals: machines sleep, and are switched off at night.
 */
import { encode } from 'cborg'
import * as v from 'valibot'
import { keys } from '../../store/keys.ts'
import { Count, readCbor, readOrSetAside } from '../../store/stored-shapes.ts'
import type { Store } from '../../store/types.ts'
import type { Clock } from '../../time/clock.ts'

const DAY_MS = 24 * 60 * 60 * 1000

/** Four weeks: a month with its weekends, and a holiday is soon forgotten. */
const REMEMBERED_DAYS = 28
/** A week of evidence; before that, the assumption fills in what is missing. */
const EVIDENCE_MS = 7 * DAY_MS
export const ASSUMED_SHARE = 1 / 3
/** An hour a day: after a long absence the daemon must not renew a year ahead. */
export const LEAST_SHARE = 1 / 24
/** Each write waits for the disk; a crash forgets this much. */
const SAVE_EVERY_MS = 10 * 60 * 1000

interface Diary {
  /** When the first look was, milliseconds since the epoch. */
  readonly sinceMs: number
  /** Milliseconds awake by day since the epoch (UTC); at most REMEMBERED_DAYS. */
  readonly days: ReadonlyMap<number, number>
}

export class AwakeTime {
  readonly #store: Store
  readonly #clock: Clock
  readonly #longestGapMs: number
  #diary: Diary | undefined
  #lastMs: number | undefined
  #savedMs = -Infinity

  /** @param longestGapMs between two looks; in a longer one the machine was asleep, or the clock was set */
  constructor(store: Store, clock: Clock, longestGapMs: number) {
    this.#store = store
    this.#clock = clock
    this.#longestGapMs = longestGapMs
    this.#diary = readOrSetAside(store, keys.awake(), store.get(keys.awake()), decodeDiary)
  }

  /** Throws StoreError; what was noted is kept and saved later. */
  look(): void {
    const nowMs = this.#clock.now()
    const passedMs = nowMs - (this.#lastMs ?? nowMs)
    this.#lastMs = nowMs
    this.#diary = noted(this.#diary, nowMs, passedMs > 0 && passedMs <= this.#longestGapMs ? passedMs : 0)
    if (Math.abs(nowMs - this.#savedMs) >= SAVE_EVERY_MS) this.save()
  }

  save(): void {
    if (this.#diary === undefined) return
    this.#store.put(keys.awake(), encode([this.#diary.sinceMs, [...this.#diary.days]]))
    this.#savedMs = this.#clock.now()
  }

  /** LEAST_SHARE to 1. */
  share(): number {
    return awakeShare(this.#diary, this.#clock.now())
  }
}

const Time = v.pipe(v.number(), v.finite())
const Stored = v.tuple([Time, v.array(v.tuple([Count, v.pipe(Time, v.minValue(0), v.maxValue(DAY_MS))]))])

function decodeDiary(bytes: Uint8Array): Diary {
  const [sinceMs, days] = readCbor(Stored, bytes)
  return { sinceMs, days: new Map(days) }
}

/** The diary with this many more milliseconds awake today, without what no longer counts. */
function noted(diary: Diary | undefined, nowMs: number, awakeMs: number): Diary {
  const today = dayOf(nowMs)
  const days = new Map(remembered(diary, today))
  days.set(today, Math.min(DAY_MS, (days.get(today) ?? 0) + awakeMs))
  return { sinceMs: Math.min(diary?.sinceMs ?? nowMs, nowMs), days }
}

function awakeShare(diary: Diary | undefined, nowMs: number): number {
  const today = dayOf(nowMs)
  const fromMs = Math.max(diary?.sinceMs ?? nowMs, (today - REMEMBERED_DAYS + 1) * DAY_MS)
  const passedMs = Math.max(0, nowMs - fromMs)
  const awakeMs = remembered(diary, today).reduce((sum, [, ms]) => sum + ms, 0)
  const missingMs = Math.max(0, EVIDENCE_MS - passedMs)
  const share = (awakeMs + missingMs * ASSUMED_SHARE) / (passedMs + missingMs)
  return Math.min(1, Math.max(LEAST_SHARE, share))
}

/** Drops days long over and days in the future, from a clock that was set ahead. */
function remembered(diary: Diary | undefined, today: number): [day: number, ms: number][] {
  return [...(diary?.days ?? [])].filter(([day]) => day > today - REMEMBERED_DAYS && day <= today)
}

function dayOf(ms: number): number {
  return Math.floor(ms / DAY_MS)
}
