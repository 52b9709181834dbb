/**
 * Which task works where: a pure function from facts to actions. The room's door (tasks.ts) collects the facts and
 * carries the actions out. No clock, no I/O, nothing remembered.
 * A task that works takes a slot, of this machine (`vdf.max_tasks`) or of the farm. Its first steps need no place: it
 * asks for one once its evaluation is known.
 */
import { byTurn, nextDeadlineMs, type Turn } from '../../evaluations/turns.ts'
import type { MovedTo } from '../../evaluations/places.ts'
import type { TaskPlace } from '../../views/task.ts'

/** A task that has not ended. */
export interface TaskFacts {
  readonly id: string
  /** The lowest of equal deadlines goes first. */
  readonly order: number
  /** When waiting costs something, in milliseconds since the epoch. */
  readonly deadlinesMs: readonly number[]
  readonly isPaused: boolean
  /** Nothing is left but to publish, which needs no slot. */
  readonly isProved: boolean
  /** It cannot continue before the seed is unlocked. */
  readonly needsSeed: boolean
  /** Where its owner wants it. */
  readonly movedTo: MovedTo
  readonly work: Work | undefined
  /** The reason told last; undefined where it works, or nothing was told. */
  readonly waitsFor: Reason | undefined
  /** The farm's word on its evaluation; undefined without a farm, and before the evaluation is known. */
  readonly farm: FarmWord | undefined
}

export interface Work {
  /** Its evaluation needs a place now. */
  readonly asks: boolean
  /** The place that it was given. */
  readonly at: TaskPlace | undefined
  /** It is loaded there. */
  readonly hasBegun: boolean
  /** It was told to stop, and has its slot until it has stopped. */
  readonly isStopping: boolean
}

interface FarmWord {
  /** Not after wrong proofs. */
  readonly takes: boolean
  /** A worker says that it has it: since before this daemon began, or this daemon has forgotten why. */
  readonly worksOnIt: boolean
  /** Its server has a state or a proof of it. */
  readonly holdsIt: boolean
}

export interface PlaceFacts {
  /** Slots of this machine. */
  readonly slots: number
  readonly farm:
    | {
        /** Whether a worker was heard lately, or may yet be. */
        readonly isThere: boolean
        /** How many evaluations it takes at once, with those that it has. */
        readonly room: number
      }
    | undefined
}

export type Reason = 'turn' | 'seed'

export type Action =
  /** Its first steps, or its publication. */
  | { readonly do: 'begin'; readonly task: string }
  | { readonly do: 'evaluate-here'; readonly task: string }
  | { readonly do: 'evaluate-there'; readonly task: string }
  /** The same there, with what the farm has of it. */
  | { readonly do: 'take-up'; readonly task: string }
  /** It goes back to the queue, and keeps its checkpoint. */
  | { readonly do: 'stop'; readonly task: string }
  | { readonly do: 'wait'; readonly task: string; readonly for: Reason }

/**
 * Nearest deadlines first, oldest first among equals. A task at work gives its slot up to an earlier deadline alone, and
 * only if no other slot is free. Once the actions are carried out, the same question has no further ones.
 */
export function schedule(nowMs: number, tasks: readonly TaskFacts[], places: PlaceFacts): Action[] {
  const plan = new Plan(
    tasks.map((facts) => new Candidate(facts, places)),
    places
  )
  plan.stopWhatMayNotWork()
  plan.sendWhatNeedsNoRoom()
  const turns = plan.turns(nowMs)
  plan.placeEvaluations(turns)
  plan.begin(turns)
  plan.makeRoom(turns)
  plan.tellWhatWaits()
  return plan.actions
}

interface Turns {
  readonly inTurn: readonly Candidate[]
  /** The first of them, as many as there are slots for. */
  readonly chosen: ReadonlySet<Candidate>
  readonly room: Room
}

/** The actions so far; each step sees the candidates as they are after those. */
class Plan {
  readonly actions: Action[] = []
  readonly #all: readonly Candidate[]
  readonly #ready: readonly Candidate[]
  readonly #places: PlaceFacts

  constructor(all: readonly Candidate[], places: PlaceFacts) {
    this.#all = all
    this.#ready = all.filter(({ facts }) => !facts.isPaused)
    this.#places = places
  }

  stopWhatMayNotWork(): void {
    for (const candidate of this.#all) if (candidate.works && candidate.mayNotWork()) this.#stop(candidate)
  }

  /** Tasks that the farm has from before, and those that their owner has moved there. */
  sendWhatNeedsNoRoom(): void {
    for (const candidate of this.#ready.filter(({ asks }) => asks)) {
      const { isHeld, isMoved } = candidate
      if (isHeld || isMoved) this.#evaluate(candidate, 'farm', isHeld ? 'take-up' : 'evaluate-there')
    }
  }

  turns(nowMs: number): Turns {
    const competing = this.#ready.filter((candidate) => candidate.needsSlot && !candidate.isSent)
    const inTurn = byTurn(
      competing.map((candidate) => candidate.turn(nowMs)),
      ({ candidate }) => candidate.works
    ).map(({ candidate }) => candidate)
    const room = roomOf(this.#all, this.#places)
    return { inTurn, chosen: mostUrgent(inTurn, room), room }
  }

  placeEvaluations({ inTurn, chosen, room }: Turns): void {
    for (const candidate of inTurn.filter(({ asks }) => asks)) {
      if (!chosen.has(candidate)) {
        this.#stop(candidate)
        continue
      }
      const place = this.#freePlace(candidate, loadOf([...chosen]), room)
      if (place !== undefined) this.#evaluate(candidate, place, place === 'local' ? 'evaluate-here' : 'evaluate-there')
    }
  }

  begin({ inTurn, chosen, room }: Turns): void {
    for (const candidate of this.#ready) if (!candidate.works && candidate.beginsAnyway) this.#begin(candidate)
    const load = loadOf(this.#all.filter(({ takesSlot }) => takesSlot))
    for (const candidate of inTurn.filter((one) => !one.works && chosen.has(one))) {
      if (!fits(plus(load, candidate), room)) continue
      this.#begin(candidate)
      load[candidate.bound]++
    }
  }

  /** Stops the least urgent at work, as many as chosen ones lack slots. */
  makeRoom({ inTurn, chosen, room }: Turns): void {
    const lacking = inTurn.filter((candidate) => chosen.has(candidate) && (!candidate.works || candidate.asks))
    if (lacking.length === 0) return
    const staying = new Set(this.#all.filter(({ takesSlot, isStopping }) => takesSlot && !isStopping))
    const future = (): Load => loadOf([...staying, ...lacking.filter(({ works }) => !works)])
    for (let load = future(); !fits(load, room); load = future()) {
      const isInTheWay = (one: Candidate): boolean =>
        !chosen.has(one) && staying.has(one) && (load.local <= room.local || one.bound === 'local')
      const last = inTurn.findLast(isInTheWay)
      if (last === undefined) return
      this.#stop(last)
      staying.delete(last)
    }
  }

  tellWhatWaits(): void {
    for (const { facts, works } of this.#all) {
      const reason = facts.needsSeed ? 'seed' : 'turn'
      if (!works && facts.waitsFor !== reason) this.actions.push({ do: 'wait', task: facts.id, for: reason })
    }
  }

  #begin(candidate: Candidate): void {
    candidate.works = true
    this.actions.push({ do: 'begin', task: candidate.facts.id })
  }

  #evaluate(candidate: Candidate, at: TaskPlace, what: 'evaluate-here' | 'evaluate-there' | 'take-up'): void {
    candidate.at = at
    this.actions.push({ do: what, task: candidate.facts.id })
  }

  #stop(candidate: Candidate): void {
    if (!candidate.isStopping) this.actions.push({ do: 'stop', task: candidate.facts.id })
    candidate.isStopping = true
  }

  /** This machine first, but for slots that chosen ones need which cannot go elsewhere. */
  #freePlace({ bound }: Candidate, ofChosen: Load, room: Room): TaskPlace | undefined {
    const { slots, farm } = this.#places
    const isFree = this.#count('local') < slots
    if (bound === 'local') return isFree ? 'local' : undefined
    if (isFree && ofChosen.local < room.local) return 'local'
    return ofChosen.farm < room.farm && this.#count('farm') < (farm?.room ?? 0) ? 'farm' : undefined
  }

  #count(place: TaskPlace): number {
    return this.#all.filter(({ at, facts }) => at === place && !facts.isProved).length
  }
}

/** Whether a new task would begin at once. */
export function hasFreeSlot(tasks: readonly TaskFacts[], places: PlaceFacts): boolean {
  const all = tasks.map((facts) => new Candidate(facts, places))
  const load = loadOf(all.filter(({ takesSlot }) => takesSlot))
  return fits({ ...load, either: load.either + 1 }, roomOf(all, places))
}

/** A place that an evaluation is bound to. */
type Bound = TaskPlace | 'either'

/** A task, as it is once the actions so far are carried out. */
class Candidate {
  readonly facts: TaskFacts
  works: boolean
  at: TaskPlace | undefined
  isStopping: boolean
  readonly #isFarmThere: boolean

  constructor(facts: TaskFacts, { farm }: PlaceFacts) {
    this.facts = facts
    this.works = facts.work !== undefined
    this.at = facts.work?.at
    this.isStopping = facts.work?.isStopping === true
    this.#isFarmThere = farm?.isThere === true
  }

  get asks(): boolean {
    return this.facts.work?.asks === true && this.at === undefined && !this.isStopping
  }

  get needsSlot(): boolean {
    return !this.facts.isProved && !this.facts.needsSeed
  }

  mayNotWork(): boolean {
    const { isPaused, isProved, needsSeed, movedTo, work } = this.facts
    // A task that an earlier move left at the farm is taken back, once it can hand in what it has reached.
    const isBack = movedTo === 'local' && this.at === 'farm' && work?.hasBegun === true
    return isPaused || (!isProved && (needsSeed || isBack))
  }

  get isHeld(): boolean {
    const { farm } = this.facts
    return farm?.takes === true && farm.holdsIt
  }

  /** To a farm that takes it. */
  get isMoved(): boolean {
    const { movedTo, farm } = this.facts
    return movedTo === 'farm' && farm?.takes === true && this.#isFarmThere
  }

  /** It needs no room: its owner has moved it there, or a worker has it already, until the farm turns out to have nothing. */
  get isSent(): boolean {
    const { movedTo, farm } = this.facts
    const isPlaced = this.at !== undefined || this.facts.work?.asks === true
    const isFromBefore = !isPlaced && movedTo !== 'local' && farm?.takes === true && farm.worksOnIt
    return this.isMoved || isFromBefore
  }

  get beginsAnyway(): boolean {
    return this.facts.isProved || (this.needsSlot && this.isSent)
  }

  get takesSlot(): boolean {
    return this.works && !this.facts.isProved && (!this.isSent || this.at === 'local')
  }

  get bound(): Bound {
    const { movedTo, farm } = this.facts
    return this.at ?? (movedTo === 'local' || farm?.takes === false ? 'local' : 'either')
  }

  turn(nowMs: number): Turn & { readonly candidate: Candidate } {
    const { order, deadlinesMs } = this.facts
    return { candidate: this, order, deadlineMs: nextDeadlineMs(deadlinesMs, nowMs) }
  }
}

type Room = Readonly<Record<TaskPlace, number>>
type Load = Record<Bound, number>

/** The farm's room is what tasks leave that were moved there. */
function roomOf(all: readonly Candidate[], { slots, farm }: PlaceFacts): Room {
  const moved = all.filter(({ works, isMoved, facts }) => works && isMoved && !facts.isProved).length
  return { local: slots, farm: Math.max(0, (farm?.room ?? 0) - moved) }
}

function loadOf(candidates: readonly Candidate[]): Load {
  const load: Load = { local: 0, farm: 0, either: 0 }
  for (const { bound } of candidates) load[bound]++
  return load
}

function plus(load: Load, { bound }: Candidate): Load {
  return { ...load, [bound]: load[bound] + 1 }
}

/** Whether each has a slot. A farm whose workers left may have more than it has room for; the others do not mind. */
function fits({ local, farm, either }: Load, room: Room): boolean {
  return local <= room.local && local + either <= room.local + Math.max(0, room.farm - farm)
}

/** The first in turn, as many as there are slots for. */
function mostUrgent(inTurn: readonly Candidate[], room: Room): ReadonlySet<Candidate> {
  const chosen = new Set<Candidate>()
  let load = loadOf([])
  for (const candidate of inTurn) {
    const next = plus(load, candidate)
    if (next.farm > room.farm || !fits(next, room)) continue
    load = next
    chosen.add(candidate)
  }
  return chosen
}
