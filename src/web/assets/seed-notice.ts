import type { SeedBody } from './lib/api.ts'

export interface SeedNotice {
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
