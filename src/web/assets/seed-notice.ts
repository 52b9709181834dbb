const WORDS = { register: 'registration of', renew: 'renewal of', adopt: 'look-up of your' }

/**
 * What a person should know of the seed, from GET /api/seed; undefined while all is well. `waiting`: a line for each
 * signature that waits.
 */
export function seedNotice({ state, kept_elsewhere: isSafe, waiting }) {
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
