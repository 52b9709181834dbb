/** What is asked before a change of the configuration that others notice. Pure. */

const EFFECTS = {
  'mode offline':
    'This node leaves the network: it answers no look-ups, and your names are not published again until it is back.',
  'mode light': 'This node stores and serves nothing for others any more. Its own names stay published.',
  'auto_renew false': 'Your names lapse unless you renew each of them in time.'
}

/** For `ask`; null where the change does no harm. */
export function changeQuestion(field, value, next) {
  const effect = value === next ? undefined : EFFECTS[`${field} ${String(next)}`]
  return effect === undefined
    ? null
    : { title: `Set ${field} to ${next === false ? 'off' : next}?`, lines: [effect], yes: 'Change it', no: 'Keep it' }
}
