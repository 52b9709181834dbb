/** When the leases of ours are renewed, and what their owner should know in time. Pure. */
import { roundTimeMs, type Lease, RENEWAL_MARGIN, renewalRound } from '../../protocol/time.ts'
import type { NetworkProfile } from '../../protocol/profile/profile.ts'
import type { TaskView } from '../../views/task.ts'
import { acknowledgeText, isGivenAway, objectText, type Ownership, type Sold, soldText } from '../stored/owned-names.ts'
import type { NameWarning, RenewalView } from '../../views/own.ts'

/** A lease warning comes this many times the renewal's lead before the end: the daemon still has that long to act. */
const WARNED_LEADS = 2
/** The warning about the last links comes this many leases before the end of the last: two years on `main`. */
const WARNED_LEASES = 2
const CANCELLED = 'SVC-TSK-003'

export interface OutlookInput {
  readonly name: string
  readonly profile: NetworkProfile
  readonly lease: Lease
  readonly nowRound: number
  readonly dueRound: number
  readonly links: number
  readonly ownership: Ownership
  readonly sold: Sold | undefined
  readonly isAutomatic: boolean
  readonly task: TaskView | undefined
  /** Seconds of the calendar until its proof, including the tasks before it; 0 where that is unknown. */
  readonly taskSeconds: number
  readonly obstacle: string | undefined
  /** Serial of a record of our key that this daemon did not make, seen recently. */
  readonly foreignSerial: number | undefined
  readonly isReleased: boolean
}

export interface Outlook {
  readonly renewal: RenewalView
  readonly warnings: readonly NameWarning[]
  readonly leadRounds: number
  readonly isDue: boolean
}

export function renewalOutlook(input: OutlookInput): Outlook {
  const { lease, nowRound, dueRound, isAutomatic, isReleased, obstacle } = input
  const leadRounds = lease.endRound - dueRound
  const left = linksLeft(input)
  const task = ofThisLease(input)
  const isPossible = canBeRenewed(input) && !isGivenAway(input)
  const isPast = nowRound >= dueRound
  const state = ((): RenewalView['state'] => {
    if (!isPossible) return 'impossible'
    if (task?.status === 'running') return task.paused ? 'paused' : 'running'
    if (isReleased) return 'released'
    if (!isAutomatic) return 'off'
    return isPast && (task?.status === 'failed' || obstacle !== undefined) ? 'failed' : 'scheduled'
  })()
  return {
    renewal: {
      state,
      due: isPossible && state !== 'released' ? timeOf(input, dueRound) : null,
      task_id: task?.status === 'running' ? task.task_id : null,
      left
    },
    warnings: warningsOf(input, { state, leadRounds, left, task }),
    leadRounds,
    isDue: isPast && (state === 'scheduled' || state === 'failed')
  }
}

/**
 * Whether peers would take a renewal of it. That they have settled on another key is their word; the lease is not [an
 * owner who is told that its name is lost].
 */
export function canBeRenewed(name: Pick<OutlookInput, 'lease' | 'links' | 'profile'>): boolean {
  return name.lease.state !== 'dead' && linksLeft(name) > 0
}

function linksLeft({ profile, links }: Pick<OutlookInput, 'links' | 'profile'>): number {
  return Math.max(0, profile.chain_max + 1 - links)
}

interface Found {
  readonly state: RenewalView['state']
  readonly leadRounds: number
  readonly left: number
  readonly task: TaskView | undefined
}

function warningsOf(input: OutlookInput, found: Found): NameWarning[] {
  const { name, lease, ownership, nowRound } = input
  const end = timeOf(input, lease.endRound)
  const graceEnd = timeOf(input, lease.graceEndRound)
  if (input.sold !== undefined) return [{ code: 'sold', message: `${soldText(input.sold)}. ${acknowledgeText(name)}` }]
  if (ownership === 'lost' && lease.state === 'dead')
    return [
      { code: 'lost', message: 'The peers have settled on another key; it may be registered again when it is free.' }
    ]
  if (lease.state === 'dead')
    return [
      {
        code: 'lapsed',
        message:
          `Its lease and the grace after it ended at ${graceEnd}; ` + `anyone may register it: chronym register ${name}`
      }
    ]
  if (ownership === 'changed')
    return [
      {
        code: 'changed',
        message:
          'Its keys were changed to those of another owner, so this daemon neither publishes nor renews it ' +
          `(chronym transfer status ${name}). If you did not do that, take it back before it is final: ` +
          `chronym key rotate ${name}`
      }
    ]
  const warnings: NameWarning[] = []
  if (ownership === 'changing')
    warnings.push({ code: 'changing', message: `Other keys wait for it. ${objectText(name)}` })
  if (ownership === 'lost')
    warnings.push({
      code: 'lost',
      message:
        `The peers that answer have settled on another key (chronym explain ${name}). ` +
        'They may lie, so the daemon renews this claim until its lease ends'
    })
  if (ownership === 'contested')
    warnings.push({ code: 'contested', message: `Peers name another key as its owner: chronym explain ${name}` })
  if (lease.state === 'grace') {
    const cure = found.state === 'running' ? '; its renewal is under way' : `: chronym renew ${name}`
    warnings.push({
      code: 'grace',
      message: `Its lease ended at ${end}, so it does not resolve; until ${graceEnd} this key alone may renew it${cure}`
    })
  }
  if (input.foreignSerial !== undefined) {
    warnings.push({
      code: 'other-daemon',
      message:
        'Another daemon publishes with these keys: the network showed serial ' +
        `${input.foreignSerial}, which this one did not make. One seed is for one ` +
        'daemon: stop the other. After a restored backup this passes in a week'
    })
  }
  if (found.state === 'released')
    warnings.push({
      code: 'released',
      message:
        `It is released: nothing renews it, and it lapses at ${end}. Until the grace ends ` +
        `at ${graceEnd} it can be taken back: chronym release --undo ${name}`
    })
  if (nowRound > lease.endRound - WARNED_LEADS * found.leadRounds) warnings.push(...renewalWarnings(input, found, end))
  return found.state === 'released' ? warnings : [...warnings, ...chainWarnings(input, found.left, end, graceEnd)]
}

function renewalWarnings(
  { name, profile, lease, nowRound, taskSeconds, isAutomatic, obstacle }: OutlookInput,
  { state, task }: Found,
  end: string
): NameWarning[] {
  const byHand = `renew it before the lease ends at ${end}: chronym renew ${name}`
  switch (state) {
    case 'off':
      return [
        task?.status === 'failed' && task.error?.code !== CANCELLED
          ? {
              code: 'renewal-failed',
              message: `Its renewal failed (${reasonOf(task)}), and auto_renew is off; ${byHand}`
            }
          : {
              code: 'renewal-off',
              message:
                `auto_renew is off, so nothing renews it; ${byHand}, or ` +
                'switch it on: chronym config set auto_renew=true'
            }
      ]
    case 'failed': {
      const reason = obstacle === undefined ? `failed (${reasonOf(task)})` : `could not be started (${obstacle})`
      return [
        {
          code: 'renewal-failed',
          message: `Its renewal ${reason}; it is tried again by itself. The lease ends at ${end}`
        }
      ]
    }
    case 'paused':
      return [
        {
          code: 'renewal-paused',
          message:
            `Its renewal is paused, and the lease ends at ${end}: chronym resume ` +
            `${task!.task_id}${isAutomatic ? '' : ' (auto_renew is off)'}`
        }
      ]
    case 'running': {
      if (task!.stalled !== null)
        return [
          {
            code: 'renewal-stalled',
            message:
              `Its renewal is blocked for now (${task!.stalled.code}: ` +
              `${task!.stalled.message}). The lease ends at ${end}`
          }
        ]
      const secondsLeft = (lease.endRound - nowRound) * profile.beacon.period
      if (lease.state !== 'live' || taskSeconds <= Math.max(0, secondsLeft)) return []
      return [
        {
          code: 'renewal-late',
          message:
            'This machine is awake too little: its ' +
            `renewal${task!.queue_position === null ? '' : ', after the tasks before it,'} takes ` +
            `longer than the lease, which ends at ${end}. The name does not resolve in between. You ` +
            'can pause other tasks: chronym tasks'
        }
      ]
    }
    case 'scheduled':
    case 'released':
    case 'impossible':
      return []
  }
}

/**
 * A chain holds a limited number of renewals; then the name must be registered again. The owner must not learn that on
 * the last day.
 */
function chainWarnings(
  { profile, lease, nowRound }: OutlookInput,
  left: number,
  end: string,
  graceEnd: string
): NameWarning[] {
  if (left === 0) {
    return [
      {
        code: 'chain-ends',
        message:
          `It has had its ${profile.chain_max} renewals and cannot be renewed any more: it ends at ` +
          `${end}, and after the grace, at ${graceEnd}, it can be registered again`
      }
    ]
  }
  if (nowRound < lease.endRound + (left - WARNED_LEASES) * profile.lease) return []
  return [
    {
      code: 'chain-ends',
      message:
        'The network allows ' +
        `${left === 1 ? 'one more renewal' : `${left} more renewals`} of it; then ` +
        'it lapses and must be registered again'
    }
  ]
}

/** A renewal begun before the newest link says nothing about this lease. */
function ofThisLease({ task, lease, profile }: OutlookInput): TaskView | undefined {
  if (task === undefined || task.status === 'running') return task
  return Date.parse(task.created_at) < roundTimeMs(lease.startRound, profile.beacon) ? undefined : task
}

function reasonOf(task: TaskView | undefined): string {
  return task?.error == null ? 'the task says no more' : `${task.error.code}: ${task.error.message}`
}

function timeOf({ profile }: OutlookInput, round: number): string {
  return new Date(roundTimeMs(round, profile.beacon)).toISOString()
}

export interface RenewalToCome {
  readonly lease: Lease
  /** What it takes on this machine, in rounds of the calendar; 0 where there is none, or its time is unknown. */
  readonly rounds: number
}

/**
 * The round at which each begins: as early as it needs alone (docs/protocol/rules.md, 9), and earlier by what lets
 * those after it begin in time.
 * If twenty leases end together, the first renewal begins sixty times its own duration before the end. None begins
 * before its lease.
 * @param slots renewals at once, at least 1
 */
export function dueRounds(renewals: readonly RenewalToCome[], slots: number, profile: NetworkProfile): number[] {
  const due = new Map<RenewalToCome, number>()
  let nextBegins = Infinity
  for (const renewal of renewals.toSorted((left, right) => right.lease.endRound - left.lease.endRound)) {
    const { lease, rounds } = renewal
    nextBegins = Math.min(nextBegins, lease.endRound) - Math.ceil((RENEWAL_MARGIN * rounds) / slots)
    due.set(renewal, Math.max(lease.startRound, Math.min(renewalRound(lease.startRound, rounds, profile), nextBegins)))
  }
  return renewals.map((renewal) => due.get(renewal)!)
}
