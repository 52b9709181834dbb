/** How safe the seed is, in words. Pure. */
import type { BackupView, SeedBody } from '../lib/api.ts'
import { duration } from '../lib/words.ts'
import type { Tone } from '../parts/basics.ts'

/** A kept backup is written at least once a day. */
const STALE_MS = 2 * 86_400_000

type Kept = BackupView['kept']

/** The kept backup; null where none is configured. */
export function backupState(
  kept: Pick<NonNullable<Kept>, 'state' | 'written_at' | 'pending' | 'reason'> | null,
  nowMs: number
): { tone: Tone; title: string; text: string } | null {
  if (kept === null) return null
  const { state, written_at: writtenAt, pending, reason } = kept
  const age = writtenAt === null ? undefined : nowMs - Date.parse(writtenAt)
  const written = age === undefined ? 'It was not written yet.' : `It was written ${duration(age / 1000)} ago.`
  if (state === 'failing')
    return { tone: 'bad', title: 'It cannot be written', text: `${written} Cause: ${reason ?? 'see the log'}.` }
  if (state === 'missing')
    return { tone: 'bad', title: 'The file is missing', text: `${written} Nothing is at its place now.` }
  if (state === 'waiting')
    return { tone: 'warn', title: 'Changes wait', text: `${written} Changes wait until the seed is unlocked.` }
  if (age === undefined) return { tone: 'warn', title: 'Not written yet', text: 'The daemon writes it soon.' }
  if (age > STALE_MS)
    return { tone: 'warn', title: 'It is old', text: `${written} The daemon should write it once a day.` }
  return {
    tone: 'good',
    title: 'Up to date',
    text: pending ? `${written} The newest changes follow within a minute.` : written
  }
}

interface Item {
  readonly isDone: boolean
  /** One can do without it. */
  readonly isAdvice: boolean
  readonly text: string
  /** Words of commands. */
  readonly how: readonly string[]
}

/** What protects the owner from the loss of all names. */
export function checklist(
  { sealed, kept_elsewhere: isSafe }: Pick<SeedBody, 'sealed' | 'kept_elsewhere'>,
  kept: Kept | undefined,
  nowMs: number
): Item[] {
  const state = kept === undefined ? null : backupState(kept, nowMs)
  return [
    {
      isDone: isSafe,
      isAdvice: false,
      text: isSafe
        ? 'The words were checked, or a backup was made.'
        : 'Write the 24 words down and check them, or make a backup.',
      how: isSafe ? [] : ['key show', 'key check']
    },
    {
      isDone: sealed,
      isAdvice: true,
      text: sealed
        ? 'A passphrase protects the seed on the disk.'
        : 'The seed is in clear on the disk: a passphrase protects it from those who read it.',
      how: sealed ? [] : ['key passphrase']
    },
    {
      isDone: state?.tone === 'good',
      isAdvice: state === null,
      text:
        state === null
          ? 'No backup keeps itself up to date: make one after each registration, or configure it.'
          : `The kept backup: ${state.title.toLowerCase()}.`,
      how: state === null ? ['backup my-names.age'] : []
    }
  ]
}

type Offer = readonly [command: string, text: string]

/** What the command line offers beside this page, for an owner of names. */
export const COMMANDS: readonly Offer[] = [
  ['key show', 'prints the 24 words, after a question'],
  ['key check', 'asks for the words and says whether they are right'],
  ['key passphrase', 'sets, changes or removes the passphrase; stop the daemon before'],
  ['backup my-names.age', 'writes an encrypted backup now'],
  ['restore my-names.age', 'brings names, zones and seed back on a new machine'],
  ['restore --words', 'the same from the 24 words, with what the network still holds'],
  ['doctor', 'looks at all of this, and says what to do']
]

interface SeedNotice {
  readonly title: string
  readonly lines: readonly string[]
  /** A line for each signature that waits. */
  readonly waiting: readonly string[]
  readonly isLocked: boolean
}

const WORDS = { register: 'registration of', renew: 'renewal of', adopt: 'look-up of your' }

/** What a person should know of the seed; undefined while all is well. */
export function seedNotice({
  state,
  kept_elsewhere: isSafe,
  waiting
}: Pick<SeedBody, 'state' | 'kept_elsewhere' | 'waiting'>): SeedNotice | undefined {
  const reminder =
    'Your names belong to a seed that may exist on this machine only. Write down its 24 words ' +
    'and check them, or make a backup.'
  if (state === 'locked') {
    const lines = [
      'Look-ups and squaring continue. Until you unlock it, the daemon refuses new registrations and ' +
        'publishing. A running task waits at its end for the signature.',
      ...(isSafe ? [] : [reminder])
    ]
    return {
      title: 'The seed is locked',
      lines,
      waiting: waiting.map(({ what, name }) => `${WORDS[what]} ${name}`),
      isLocked: true
    }
  }
  return isSafe ? undefined : { title: 'Keep your seed safe', lines: [reminder], waiting: [], isLocked: false }
}
