/**
 * Which work gets a thread next. There are three lanes: our own; claims that were expected; claims that were not.
 * Our own comes first. The others share the threads' time 4 : 1 while both wait (docs/verification.md, "What keeps
 * honest work going"). A lane is bounded and refuses further work at once.
 * Proofs travel together, as many as make a slice. So a slice crosses to a thread once, and the next job waits for one
 * slice at most.
 */
import { NativeError, type ProofQuestion, URGENCIES, type Urgency } from '../types.ts'
import type { Call, WorkerCalls } from '../worker/requests.ts'

const SLICE_MS = 100
const MAX_SLICE = 64
/** Assumed cost of a proof before one was verified: high, so that the first slices are short. */
const FIRST_COST_MS = 10
/** Weight of the newest slice in the running average of a proof's cost. */
const COST_WEIGHT = 0.25

/**
 * Questions that may wait: about two seconds of two threads' time for each lane's share. The program itself bounds our
 * own.
 */
const CAPACITY: Readonly<Record<Urgency, number>> = { own: 16_384, expected: 1_024, unexpected: 256 }
/** Parts of the time that our own work leaves. */
const SHARE: Readonly<Record<Urgency, number>> = { own: 1, expected: 4, unexpected: 1 }

export interface Ticket<T> {
  readonly result: Promise<T>
  /** From now on waits in a more urgent lane, if it still waits. */
  hurry(urgency: Urgency): void
  /** Nobody wants the result any more: it is not computed unless it is nearly done. `result` rejects then. */
  abandon(): void
}

/** A call of its own, or a proof that shares one with others. */
type Work = { readonly call: () => Promise<unknown> } | { readonly question: ProofQuestion }

interface Job {
  urgency: Urgency
  readonly work: Work
  /** A slice with it has failed: it is asked alone, so that its failure is its own. */
  alone: boolean
  slice?: Slice
  resolve(value: unknown): void
  reject(error: Error): void
}

type ProofJob = Job & { readonly work: { readonly question: ProofQuestion } }

interface Slice {
  wanted: number
  readonly stop: SharedArrayBuffer
}

interface Lane {
  readonly waiting: Job[]
  /** Time used, divided by the share: the lane with the least is next. */
  used: number
}

interface Scheduler {
  submit<K extends keyof WorkerCalls>(
    kind: K,
    request: WorkerCalls[K]['request'],
    urgency: Urgency
  ): Ticket<WorkerCalls[K]['value']>
  /** One proof; those that wait together travel together. */
  submitProof(question: ProofQuestion, urgency: Urgency): Ticket<boolean>
  /** Throws POOL_BUSY unless this many more may wait. */
  requireRoom(count: number, urgency: Urgency): void
  /** Rejects what waits. Running calls end by themselves. */
  close(error: Error): void
}

/** `call` runs a function on a thread; at most `threads` run at once. `now` is monotonic, in milliseconds. */
export function createScheduler(call: Call, threads: number, now: () => number = () => performance.now()): Scheduler {
  const lanes: Readonly<Record<Urgency, Lane>> = { own: createLane(), expected: createLane(), unexpected: createLane() }
  let running = 0
  let costMs = FIRST_COST_MS
  let willDispatch = false
  let closed: Error | undefined

  const requireRoom = (count: number, urgency: Urgency): void => {
    if (lanes[urgency].waiting.length + count > CAPACITY[urgency])
      throw new NativeError('POOL_BUSY', 'too many questions wait for verification')
  }

  const submitWork = <T>(urgency: Urgency, work: Work): Ticket<T> => {
    if (closed !== undefined) throw closed
    requireRoom(1, urgency)
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    const job: Job = { work, urgency, alone: false, resolve: resolve, reject }
    enqueue(job)
    return {
      result: promise,
      hurry(next) {
        if (!remove(job)) return
        job.urgency = next
        enqueue(job)
      },
      abandon() {
        if (remove(job)) reject(takenBack())
        else if (job.slice !== undefined && --job.slice.wanted === 0)
          Atomics.store(new Uint32Array(job.slice.stop), 0, 1)
      }
    }
  }

  const enqueue = (job: Job): void => {
    const lane = lanes[job.urgency]
    // An idle lane saves no time up for later.
    if (lane.waiting.length === 0) lane.used = Math.max(lane.used, leastUsed() ?? lane.used)
    lane.waiting.push(job)
    dispatchSoon()
  }

  const leastUsed = (): number | undefined => {
    const busy = [lanes.expected, lanes.unexpected].filter(({ waiting }) => waiting.length > 0)
    return busy.length === 0 ? undefined : Math.min(...busy.map(({ used }) => used))
  }

  const remove = (job: Job): boolean => {
    const { waiting } = lanes[job.urgency]
    const index = waiting.indexOf(job)
    if (index >= 0) waiting.splice(index, 1)
    return index >= 0
  }

  /** After the present turn, so that it sees together what is asked together. */
  const dispatchSoon = (): void => {
    if (willDispatch) return
    willDispatch = true
    queueMicrotask(() => {
      willDispatch = false
      while (running < threads) {
        const urgency = nextLane()
        if (urgency === undefined) return
        void begin(urgency)
      }
    })
  }

  const nextLane = (): Urgency | undefined => {
    const busy = URGENCIES.filter((urgency) => lanes[urgency].waiting.length > 0)
    if (busy[0] === 'own' || busy.length < 2) return busy[0]
    return lanes.expected.used <= lanes.unexpected.used ? 'expected' : 'unexpected'
  }

  const begin = async (urgency: Urgency): Promise<void> => {
    const lane = lanes[urgency]
    const jobs = take(lane)
    running++
    const startedAt = now()
    try {
      const [first] = jobs
      if (first !== undefined && 'call' in first.work) await runCall(first.work.call, first)
      else await runProofs(jobs.filter(isProof))
    } finally {
      running--
      lane.used += (now() - startedAt) / SHARE[urgency]
      dispatchSoon()
    }
  }

  /** The first job. A proof takes others along: a slice, but no more than this thread's part of those that wait. */
  const take = ({ waiting }: Lane): Job[] => {
    const jobs = [waiting.shift()!]
    if (!canShare(jobs[0]!)) return jobs
    const part = Math.ceil((waiting.filter(canShare).length + 1) / (threads - running))
    const most = Math.min(part, MAX_SLICE, Math.max(1, Math.round(SLICE_MS / costMs)))
    for (let index = 0; index < waiting.length && jobs.length < most;) {
      if (canShare(waiting[index]!)) jobs.push(...waiting.splice(index, 1))
      else index++
    }
    return jobs
  }

  const runCall = async (work: () => Promise<unknown>, job: Job): Promise<void> => {
    try {
      job.resolve(await work())
    } catch (error) {
      job.reject(error as Error)
    }
  }

  const runProofs = async (jobs: readonly ProofJob[]): Promise<void> => {
    const slice: Slice = { wanted: jobs.length, stop: new SharedArrayBuffer(Uint32Array.BYTES_PER_ELEMENT) }
    for (const job of jobs) job.slice = slice
    try {
      const { verdicts, milliseconds } = await call('verifyProofs', {
        questions: jobs.map(({ work }) => work.question),
        stop: slice.stop
      })
      if (verdicts.length > 0) costMs += COST_WEIGHT * (milliseconds / verdicts.length - costMs)
      for (const [index, job] of jobs.entries()) {
        if (index < verdicts.length) job.resolve(verdicts[index])
        else job.reject(takenBack())
      }
    } catch (error) {
      for (const job of jobs) {
        if (jobs.length === 1 || closed !== undefined) job.reject(error as Error)
        else enqueue(Object.assign(job, { alone: true }))
      }
    }
  }

  return {
    submit: (kind, request, urgency) => submitWork(urgency, { call: () => call(kind, request) }),
    submitProof: (question, urgency) => submitWork(urgency, { question }),
    requireRoom,
    close(error) {
      closed = error
      for (const { waiting } of Object.values(lanes)) for (const job of waiting.splice(0)) job.reject(error)
    }
  }
}

function createLane(): Lane {
  return { waiting: [], used: 0 }
}

function isProof(job: Job): job is ProofJob {
  return 'question' in job.work
}

function canShare(job: Job): boolean {
  return isProof(job) && !job.alone
}

function takenBack(): NativeError {
  return new NativeError('POOL_BUSY', 'the question was taken back')
}
