/** What is asked before a change of the configuration that others notice. Pure. */

import type { Question } from '../parts/dialog.ts'

const EFFECTS: Readonly<Record<string, string>> = {
  'mode offline':
    'This node leaves the network: it answers no look-ups, and your names are not published again until it is back.',
  'mode light': 'This node stores and serves nothing for others any more. Its own names stay published.',
  'auto_renew false': 'Your names lapse unless you renew each of them in time.'
}

/** For `ask`; null where the change does no harm. */
export function changeQuestion(field: string, value: unknown, next: unknown): Question | null {
  const effect = value === next ? undefined : EFFECTS[`${field} ${String(next)}`]
  return effect === undefined
    ? null
    : {
        title: `Set ${field} to ${next === false ? 'off' : String(next)}?`,
        lines: [effect],
        yes: 'Change it',
        no: 'Keep it'
      }
}
