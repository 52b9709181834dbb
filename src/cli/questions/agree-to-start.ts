/** What a registration or a renewal costs, said before it begins. */
import type { Client } from '../../api/client/client.ts'
import type { Estimate, TaskView } from '../../views/task.ts'
import { requireConsent } from './consent.ts'
import type { Context } from '../context.ts'
import { formatCount, formatDuration, formatRate, plural, printable } from '../terminal/format.ts'

/** Longer computations need a confirmation. */
const ASK_FROM_SECONDS = 5 * 60
/**
 * A renewal that prolongs by less than this share of a lease needs a confirmation: an automatic one gives about nine
 * tenths.
 */
const LITTLE_SHARE = 1 / 2

/** What a name costs, in words: "1,000,000 squarings, about 3.4 s at 320.1 K/s". */
export function costText(estimate: Estimate): string {
  const {
    iterations,
    iterations_per_second: rate,
    seconds,
    queued_seconds: queued,
    proving_seconds: proving,
    proof_kept: isKept
  } = estimate
  if (isKept) return 'a finished proof is kept here, only publishing is left'
  const parts = [`${formatCount(iterations)} squarings, about ${formatDuration(seconds)} at ${formatRate(rate)}`]
  if (queued > 0) parts.push(`of which ${formatDuration(queued)} waiting for the tasks before it`)
  if (proving >= 60) parts.push(`${queued > 0 ? '' : 'of which '}${formatDuration(proving)} proving`)
  return parts.join(', ')
}

/**
 * What a renewal gives: "it prolongs the lease by 3 min 05 s and spends one of the 64 renewals left". Nothing for a
 * registration.
 */
export function gainText({ gain_seconds: gain, left }: Pick<Estimate, 'gain_seconds' | 'left'>): string | undefined {
  return gain === null || left === null
    ? undefined
    : `it prolongs the lease by ${formatDuration(gain)} and spends one of the ${plural(left, 'renewal')} left`
}

function isLittle({ gain_seconds: gain, lease_start: start, lease_end: end }: Estimate): boolean {
  return gain !== null && gain < (LITTLE_SHARE * (Date.parse(end) - Date.parse(start))) / 1000
}

/**
 * Says what is coming, and asks where it takes long or gains little. Throws as `requireConsent` does, or what the
 * daemon refuses.
 */
export async function agreeToStart(
  context: Context,
  client: Client,
  kind: TaskView['kind'],
  name: string,
  isGiven: boolean
): Promise<void> {
  if (isGiven && context.output.json && !context.output.live) return
  const estimate = await client.estimate(name)
  // The daemon's own refusal says more.
  if (estimate.kind !== kind) return
  const { seconds, queued_seconds: queued, lease_start: start, lease_end: end } = estimate
  const gain = gainText(estimate)
  const cost =
    `${printable(name)}: ${costText(estimate)}; lease from ${start} to ` +
    `${end}${gain === undefined ? '' : `; ${gain}`}`
  if (isLittle(estimate)) {
    await requireConsent(context, {
      cost: `${cost}. So soon after the last one it gains little`,
      question: 'Renew it all the same?',
      isGiven
    })
  } else if (seconds - queued > ASK_FROM_SECONDS && !estimate.proof_kept) {
    await requireConsent(context, {
      cost,
      question: 'The daemon computes that long, across restarts; you need not wait. Start?',
      isGiven,
      byDefault: true
    })
  } else {
    context.output.note(cost)
    return
  }
  if (isGiven) context.output.note(cost)
}
