/**
 * Virtual time: a queue of events. The daemon's own code waits by the global timers and by systemClock, which are this
 * queue's while a run lasts. After each event all promises that it settled are run, so that a run depends on its seed alone.
 */
import { setImmediate } from 'node:timers'
import { systemClock } from '../../../src/time/clock.ts'
import { clockRound } from '../../../src/protocol/time.ts'
import type { NetworkProfile } from '../../../src/protocol/profile/profile.ts'

interface Cancellable {
  cancel(): void
}

class Event implements Cancellable {
  readonly atMs: number
  readonly order: number
  action: (() => void) | undefined

  constructor(atMs: number, order: number, action: () => void) {
    this.atMs = atMs
    this.order = order
    this.action = action
  }

  cancel(): void {
    this.action = undefined
  }

  /** Timers of Node have both; virtual ones keep no process alive. */
  unref(): this {
    return this
  }

  ref(): this {
    return this
  }
}

export class Timeline {
  readonly #heap: Event[] = []
  #order = 0
  #done = 0
  nowMs: number

  constructor(startMs: number) {
    this.nowMs = startMs
  }

  /** Events so far. */
  get done(): number {
    return this.#done
  }

  after(milliseconds: number, action: () => void): Cancellable {
    return this.#add(this.nowMs + Math.max(0, milliseconds), action)
  }

  at(atMs: number, action: () => void): Cancellable {
    return this.#add(Math.max(this.nowMs, atMs), action)
  }

  sleep(milliseconds: number): Promise<void> {
    return new Promise((resolve) => void this.after(milliseconds, resolve))
  }

  /**
   * Runs the events until a time. Rejects with the first error of an event or of a promise that nobody awaits.
   *
   * @param onProgress called with the present time about once in a thousand events
   */
  async runUntil(endMs: number, onProgress?: (nowMs: number) => void): Promise<void> {
    const restore = this.#takeTimers()
    try {
      for (;;) {
        const next = this.#heap[0]
        if (next === undefined || next.atMs > endMs) break
        this.#shift()
        if (next.action === undefined) continue
        this.nowMs = next.atMs
        next.action()
        await settled()
        if (++this.#done % 1024 === 0) onProgress?.(this.nowMs)
      }
      this.nowMs = Math.max(this.nowMs, endMs)
    } finally {
      restore()
    }
  }

  #takeTimers(): () => void {
    const real = { setTimeout: globalThis.setTimeout, clearTimeout: globalThis.clearTimeout }
    const virtual = {
      setTimeout: (action: (...args: unknown[]) => void, milliseconds = 0, ...args: unknown[]) =>
        this.after(milliseconds, () => action(...args)),
      clearTimeout: (timer: Partial<Cancellable> | undefined) => timer?.cancel?.()
    }
    const realSleep = systemClock.sleep.bind(systemClock)
    const [realNow, realTimeout] = [Date.now, AbortSignal.timeout.bind(AbortSignal)]
    Object.assign(globalThis, virtual)
    Date.now = () => this.nowMs
    AbortSignal.timeout = (milliseconds) => this.#timeout(milliseconds)
    systemClock.sleep = (milliseconds, signal) => this.#abortable(milliseconds, signal)
    return () => {
      Object.assign(globalThis, real)
      Date.now = realNow
      AbortSignal.timeout = realTimeout
      systemClock.sleep = realSleep
    }
  }

  /** As `systemClock.sleep`, which waits by timers that nothing can take the place of. */
  #abortable(milliseconds: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted()
      const abort = (): void => {
        timer.cancel()
        reject(signal?.reason as Error)
      }
      const timer = this.after(milliseconds, () => {
        signal?.removeEventListener('abort', abort)
        resolve()
      })
      signal?.addEventListener('abort', abort, { once: true })
    })
  }

  #timeout(milliseconds: number): AbortSignal {
    const ended = new AbortController()
    this.after(milliseconds, () => ended.abort(new DOMException('The time is over', 'TimeoutError')))
    return ended.signal
  }

  #add(atMs: number, action: () => void): Event {
    const event = new Event(atMs, this.#order++, action)
    const heap = this.#heap
    let place = heap.length
    heap.push(event)
    while (place > 0) {
      const parent = (place - 1) >> 1
      if (!isBefore(event, heap[parent]!)) break
      heap[place] = heap[parent]!
      place = parent
    }
    heap[place] = event
    return event
  }

  #shift(): void {
    const heap = this.#heap
    const last = heap.pop()!
    if (heap.length === 0) return
    let place = 0
    for (;;) {
      let child = 2 * place + 1
      if (child >= heap.length) break
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child++
      if (!isBefore(heap[child]!, last)) break
      heap[place] = heap[child]!
      place = child
    }
    heap[place] = last
  }
}

function isBefore(left: Event, right: Event): boolean {
  return left.atMs < right.atMs || (left.atMs === right.atMs && left.order < right.order)
}

/** All promise reactions have run once the event loop comes to its next turn. */
function settled(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve))
}

export class Beacon {
  readonly #timeline: Timeline
  readonly #profile: NetworkProfile
  #stoppedAt: number | undefined

  constructor(timeline: Timeline, profile: NetworkProfile) {
    this.#timeline = timeline
    this.#profile = profile
  }

  latestRound(): number {
    return clockRound(this.#stoppedAt ?? this.#timeline.nowMs, this.#profile.beacon)
  }

  stop(): void {
    this.#stoppedAt ??= this.#timeline.nowMs
  }

  resume(): void {
    this.#stoppedAt = undefined
  }
}
