/** Which task works where, by what is known of tasks and places. A case is read as: with these tasks, these actions. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type Action,
  hasFreeSlot,
  type PlaceFacts,
  schedule,
  type TaskFacts
} from '../../../src/registry/claims/scheduler.ts'
import { CASES } from '../../properties/cases.ts'

const NOW_MS = Date.UTC(2026, 0, 1)
const DAY_MS = 86_400_000

const NEW: Omit<TaskFacts, 'id' | 'order'> = {
  deadlinesMs: [],
  isPaused: false,
  isProved: false,
  needsSeed: false,
  movedTo: null,
  work: undefined,
  waitsFor: 'turn',
  farm: undefined
}
const WORK = { asks: false, at: undefined, hasBegun: false, isStopping: false }
const WORD = { takes: true, worksOnIt: false, holdsIt: false }

/** The facts behind a word of a case. */
const WORDS: Readonly<Record<string, (task: Partial<TaskFacts>) => Partial<TaskFacts>>> = {
  new: () => ({ waitsFor: undefined }),
  waits: () => ({}),
  paused: () => ({ isPaused: true }),
  proved: () => ({ isProved: true }),
  'needs the seed': () => ({ needsSeed: true }),
  'knows it': () => ({ waitsFor: 'seed' }),
  commits: () => ({ work: WORK }),
  publishes: () => ({ isProved: true, work: WORK }),
  asks: () => ({ work: { ...WORK, asks: true }, farm: WORD }),
  here: () => ({ work: { ...WORK, at: 'local', hasBegun: true } }),
  'loads for there': () => ({ work: { ...WORK, at: 'farm' }, farm: WORD }),
  there: () => ({ work: { ...WORK, at: 'farm', hasBegun: true }, farm: WORD }),
  stops: ({ work }) => ({ work: { ...work!, isStopping: true } }),
  planned: () => ({ farm: WORD }),
  'moved here': () => ({ movedTo: 'local' }),
  'moved there': () => ({ movedTo: 'farm' }),
  refused: () => ({ farm: { ...WORD, takes: false } }),
  'a worker has it': ({ farm }) => ({ farm: { ...WORD, ...farm, worksOnIt: true } }),
  'the farm holds it': ({ farm }) => ({ farm: { ...WORD, ...farm, holdsIt: true } })
}

/** `here, 20 d`: squares on this machine, and has twenty days. Tasks are as old as they stand in the list. */
function taskOf(id: string, words: string, order: number): TaskFacts {
  let task: TaskFacts = { ...NEW, id, order }
  for (const word of words.split(', ')) {
    const days = /^(-?\d+) d$/u.exec(word)
    task = { ...task, ...(days === null ? WORDS[word]!(task) : { deadlinesMs: [NOW_MS + Number(days[1]) * DAY_MS] }) }
  }
  return task
}

/** Slots of this machine; with a `+`, the room of a farm; with a `-` after it, none of its workers is heard. */
function placesOf(text: string): PlaceFacts {
  const [slots, room] = text.split('+')
  const farm = room === undefined ? undefined : { isThere: !room.endsWith('-'), room: Number.parseInt(room, 10) }
  return { slots: Number(slots), farm }
}

const words = (action: Action): string =>
  `${action.do} ${action.task}${action.do === 'wait' ? ` for its ${action.for}` : ''}`

type Case = readonly [title: string, places: string, tasks: Readonly<Record<string, string>>, actions: string]

const GROUPS: Readonly<Record<string, readonly Case[]>> = {
  'of this machine, slots': [
    [
      'are given to the oldest, and the others wait',
      '2',
      { a: 'new', b: 'new', c: 'new' },
      'begin a, begin b, wait c for its turn'
    ],
    ['go to the nearest deadline first', '1', { a: 'waits, 40 d', b: 'waits, 20 d' }, 'begin b'],
    ['go to who has none last', '1', { a: 'waits', b: 'waits, 40 d' }, 'begin b'],
    ['are kept while others have as much time', '1', { a: 'waits, 40 d', b: 'here, 40 d' }, ''],
    ['are given up to an earlier deadline', '1', { a: 'here, 40 d', b: 'waits, 20 d' }, 'stop a'],
    ['are given up by the latest alone', '2', { a: 'here, 40 d', b: 'here, 30 d', c: 'waits, 20 d' }, 'stop a'],
    ['are given up once: who stops is waited for', '1', { a: 'here, stops, 40 d', b: 'waits, 20 d' }, ''],
    ['are not given up while one is free', '2', { a: 'here, 40 d', b: 'waits, 20 d' }, 'begin b'],
    ['are held up by no deadline that has passed', '1', { a: 'here, -1 d', b: 'waits, 20 d' }, 'stop a'],
    ['are taken from the first step on', '1', { a: 'commits', b: 'waits' }, ''],
    ['are not needed to publish', '1', { a: 'here', b: 'waits, proved' }, 'begin b'],
    ['are free again while a proof is published', '1', { a: 'publishes', b: 'waits' }, 'begin b'],
    ['have their evaluation when it asks', '1', { a: 'asks' }, 'evaluate-here a'],
    [
      'are no more where the setting is lower now: the latest go once somebody waits',
      '1',
      { a: 'here, 40 d', b: 'here, 30 d', c: 'waits, 20 d' },
      'stop a, stop b'
    ],
    ['are no more where the setting is lower now: who works goes on until then', '1', { a: 'here', b: 'here' }, '']
  ],
  'a pause': [
    ['stops who works', '1', { a: 'here, paused' }, 'stop a'],
    ['stops a publication', '1', { a: 'publishes, paused' }, 'stop a'],
    ['keeps who waits from its slot', '1', { a: 'waits, paused', b: 'waits' }, 'begin b'],
    ['gives the slot on once it has stopped', '1', { a: 'here, paused, stops', b: 'waits' }, '']
  ],
  'while the seed is locked, a registration without its commitment': [
    ['takes no slot, and says why', '1', { a: 'new, needs the seed', b: 'waits' }, 'begin b, wait a for its seed'],
    ['says so once', '1', { a: 'waits, needs the seed, knows it' }, ''],
    ['gives its slot back', '1', { a: 'commits, needs the seed', b: 'waits' }, 'stop a'],
    ['waits for its turn again afterwards', '1', { a: 'here', b: 'waits, knows it' }, 'wait b for its turn']
  ],
  'with a farm, an evaluation': [
    ['goes to a slot of this machine first', '1+1', { a: 'asks' }, 'evaluate-here a'],
    ['goes there where all slots here are taken', '1+1', { a: 'here', b: 'asks' }, 'evaluate-there b'],
    ['begins its first steps for room there', '1+1', { a: 'here', b: 'waits' }, 'begin b'],
    ['waits where nothing has room', '1+1', { a: 'here', b: 'there', c: 'waits' }, ''],
    [
      'leaves the slot here to one that the farm does not take',
      '1+1',
      { a: 'asks, 20 d', b: 'commits, refused, 40 d' },
      'evaluate-there a'
    ],
    [
      'leaves the slot here to one that is moved here',
      '1+1',
      { a: 'asks, 20 d', b: 'waits, moved here, 40 d' },
      'evaluate-there a, begin b'
    ],
    ['which the farm does not take waits for a slot here', '1+1', { a: 'here, 20 d', b: 'waits, refused, 40 d' }, ''],
    [
      'which the farm does not take has the slot of a later deadline',
      '1+1',
      { a: 'here, 40 d', b: 'asks, refused, 20 d' },
      'stop a'
    ],
    [
      'which the farm gave up goes back to the queue without a slot',
      '1+1',
      { a: 'here, 20 d', b: 'asks, refused, 40 d' },
      'stop b'
    ],
    [
      'with an earlier deadline has the room of a later one there',
      '1+1',
      { a: 'here, 10 d', b: 'there, 40 d', c: 'waits, 20 d' },
      'stop b'
    ],
    ['at work there goes on where its workers are gone', '1+0', { a: 'here', b: 'there' }, ''],
    ['on its way there goes on where its room is gone', '1+0-', { a: 'here', b: 'loads for there' }, ''],
    ['that asks waits in the queue where the room is gone', '1+0', { a: 'here', b: 'asks' }, 'stop b'],
    ['that asks waits for who stops', '1+0', { a: 'here, stops, 40 d', b: 'asks, 20 d' }, '']
  ],
  'what a farm has from before': [
    ['is taken up, however little room there is', '1+0', { a: 'here', b: 'asks, the farm holds it' }, 'take-up b'],
    ['is taken up also where a slot here is free', '1+0', { a: 'asks, the farm holds it' }, 'take-up a'],
    ['begins where a worker says that it has it', '1+0', { a: 'here', b: 'waits, a worker has it' }, 'begin b'],
    [
      'needs room like others where the farm turns out to have nothing',
      '1+0',
      { a: 'here', b: 'asks, a worker has it' },
      'stop b'
    ],
    [
      'is not taken up from a farm that sent wrong proofs',
      '1+1',
      { a: 'asks, refused, the farm holds it' },
      'evaluate-here a'
    ],
    ['takes room of others once it is there', '0+1', { a: 'there', b: 'waits' }, '']
  ],
  'a task that its owner moves': [
    ['there takes no slot and no room', '1+0', { a: 'here', b: 'waits, planned, moved there' }, 'begin b'],
    ['there goes there when it asks', '1+0', { a: 'asks, moved there' }, 'evaluate-there a'],
    ['there takes no slot from others', '1+1', { a: 'there, moved there', b: 'here', c: 'waits' }, ''],
    ['there stays here while none of its workers is heard', '1+0-', { a: 'asks, moved there' }, 'evaluate-here a'],
    ['here waits for a slot', '1+1', { a: 'here', b: 'waits, planned, moved here' }, ''],
    ['here comes home from a farm that has it', '1+1', { a: 'asks, moved here, the farm holds it' }, 'take-up a'],
    ['here is not stopped before it can hand in what it has', '1+1', { a: 'loads for there, moved here' }, ''],
    ['here stops there then', '1+1', { a: 'there, moved here' }, 'stop a'],
    ['here is not taken up because a worker has it', '1+1', { a: 'here', b: 'waits, moved here, a worker has it' }, '']
  ]
}

for (const [subject, cases] of Object.entries(GROUPS))
  describe(subject, () => {
    it.each(cases)('%s', (_title, places, tasks, actions) => {
      const facts = Object.entries(tasks).map(([id, said], index) => taskOf(id, said, index))
      expect(schedule(NOW_MS, facts, placesOf(places)).map(words).join(', ')).toBe(actions)
    })
  })

const anyPlace = fc.constantFrom('local' as const, 'farm' as const)
const anyWork = fc.oneof(
  fc.record({ asks: fc.boolean(), at: fc.constant(undefined), hasBegun: fc.constant(false), isStopping: fc.boolean() }),
  fc.record({ asks: fc.constant(false), at: anyPlace, hasBegun: fc.boolean(), isStopping: fc.boolean() })
)
const anyTask = fc.record({
  deadlinesMs: fc.array(
    fc.integer({ min: -1, max: 3 }).map((days) => NOW_MS + days * DAY_MS),
    { maxLength: 2 }
  ),
  isPaused: fc.boolean(),
  isProved: fc.boolean(),
  needsSeed: fc.boolean(),
  movedTo: fc.option(anyPlace),
  work: fc.option(anyWork, { nil: undefined }),
  waitsFor: fc.constantFrom(undefined, 'turn' as const, 'seed' as const),
  farm: fc.option(fc.record({ takes: fc.boolean(), worksOnIt: fc.boolean(), holdsIt: fc.boolean() }), {
    nil: undefined
  })
})
const anyTasks = fc
  .array(anyTask, { maxLength: 7 })
  .map((tasks) => tasks.map((task, order): TaskFacts => ({ ...task, id: `${order}`, order })))
const anyPlaces = fc.record({
  slots: fc.integer({ min: 0, max: 3 }),
  farm: fc.option(fc.record({ isThere: fc.boolean(), room: fc.integer({ min: 0, max: 3 }) }), { nil: undefined })
})

/** The facts once an action is carried out. */
function carriedOut(task: TaskFacts, action: Action): TaskFacts {
  const work = task.work ?? WORK
  switch (action.do) {
    case 'begin':
      return { ...task, work: WORK, waitsFor: undefined }
    case 'evaluate-here':
      return { ...task, work: { ...work, asks: false, at: 'local' } }
    case 'evaluate-there':
    case 'take-up':
      return { ...task, work: { ...work, asks: false, at: 'farm' } }
    case 'stop':
      return { ...task, work: { ...work, isStopping: true } }
    case 'wait':
      return { ...task, waitsFor: action.for }
  }
}

const countHere = (tasks: readonly TaskFacts[]): number =>
  tasks.filter(({ work, isProved }) => work?.at === 'local' && !isProved).length

/** As the facts are once all is carried out. */
function settled(tasks: readonly TaskFacts[], places: PlaceFacts): TaskFacts[] {
  const actions = schedule(NOW_MS, tasks, places)
  return tasks.map((task) => actions.filter((each) => each.task === task.id).reduce(carriedOut, task))
}

describe('whatever the facts are', () => {
  it('nothing is left to do once the actions are carried out, and no slot here has two evaluations', () => {
    fc.assert(
      fc.property(anyTasks, anyPlaces, (tasks, places) => {
        const after = settled(tasks, places)
        expect(schedule(NOW_MS, after, places)).toEqual([])
        expect(countHere(after)).toBeLessThanOrEqual(Math.max(places.slots, countHere(tasks)))
      }),
      CASES
    )
  })

  it('what waits begins, what works is placed or stopped, and what is paused only stops', () => {
    fc.assert(
      fc.property(anyTasks, anyPlaces, (tasks, places) => {
        for (const { do: what, task } of schedule(NOW_MS, tasks, places)) {
          const { work, isPaused } = tasks[Number(task)]!
          if (what !== 'stop' && what !== 'wait') expect(isPaused).toBe(false)
          expect(work === undefined).toBe(what === 'begin' || what === 'wait')
        }
      }),
      CASES
    )
  })

  it('a new task that would begin at once has a free slot', () => {
    fc.assert(
      fc.property(anyTasks, anyPlaces, (tasks, places) => {
        const after = settled(tasks, places)
        const actions = schedule(NOW_MS, [...after, taskOf('new', 'waits', after.length)], places)
        if (actions.some(({ do: what, task }) => what === 'begin' && task === 'new'))
          expect(hasFreeSlot(after, places)).toBe(true)
      }),
      CASES
    )
  })
})
