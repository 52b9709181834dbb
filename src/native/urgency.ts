/**
 * Who waits for a verdict, the most urgent first. `own`: this node and its user. `expected`: peers whose claim was
 * announced. `unexpected`: peers of whose claim nothing is known here.
 */
export const URGENCIES = ['own', 'expected', 'unexpected'] as const
export type Urgency = (typeof URGENCIES)[number]

export function isMoreUrgent(one: Urgency, other: Urgency): boolean {
  return URGENCIES.indexOf(one) < URGENCIES.indexOf(other)
}
