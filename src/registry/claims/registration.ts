import { ServiceError } from '../../errors.ts'
import { toHex } from '../../protocol/encoding/bytes.ts'
import type { Name } from '../../protocol/name/names.ts'
import { linksOf } from '../../protocol/claim/reveal.ts'
import { parseZone } from '../../protocol/zone/zone.ts'
import type { ClaimTasks } from '../tasks.ts'
import type { TaskView } from '../../views/task.ts'
import { openName, requireBeacon, type RegistryContext, leaseOf, roundTime } from '../context.ts'
import { acknowledgeText, isCancelled, isGone, type OwnedName, soldText } from '../stored/owned-names.ts'
import { keys } from '../../store/keys.ts'
import { requireOwned, savingZone } from '../zones/zones.ts'
import { holderOf } from './holder.ts'
import { runningAlready } from './tasks.ts'

/**
 * Starts a registration, after every check that is possible before days of work.
 * SVC-NAM-*, SVC-ZON-002, SVC-REG-*, SVC-VDF-001, SVC-BCN-001, SVC-RES-001, SVC-TSK-002.
 */
export async function register(
  context: RegistryContext,
  tasks: ClaimTasks,
  text: string,
  { zone }: { zone?: unknown }
): Promise<TaskView> {
  const name = openName(context, text)
  if (zone !== undefined) parseZone(zone, context.profile)
  requireAddon(context)
  context.seed.require()
  requireNotOwned(context, name)
  requireNoTask(tasks, name)
  // Peers are asked for nothing that could not begin.
  tasks.requireRoom({ name, kind: 'register' })
  await requireBeacon(context)
  await requireFree(context, name)
  // Another request may have come since, whose zone this one must not replace.
  requireNoTask(tasks, name)
  const zoneSaved = zone === undefined ? [] : [savingZone(context, name, zone)]
  // A check deletes nothing: the record of a lapsed name goes once the registration is accepted.
  return tasks.create({ name, kind: 'register' }, [
    ...zoneSaved,
    ...(formerRecord(context, name) === undefined ? [] : [context.owned.removing(name)])
  ])
}

/**
 * Starts a renewal, also of a name that peers call lost: they may lie, and without a renewal it is lost [an owner who
 * is told that its name is lost].
 * SVC-NAM-*, SVC-ZON-002, SVC-OWN-001, SVC-REG-002, SVC-RES-003, SVC-PUB-001, SVC-VDF-001, SVC-BCN-001,
 * SVC-STO-001.
 */
export async function renew(
  context: RegistryContext,
  tasks: ClaimTasks,
  text: string,
  { zone }: { zone?: unknown }
): Promise<TaskView> {
  const name = openName(context, text)
  if (zone !== undefined) parseZone(zone, context.profile)
  const record = requireOwned(context, name)
  requireAddon(context)
  requireNoTask(tasks, name)
  const { state, graceEndRound } = leaseOf(context, record.reveal.drand_pulse)
  if (state === 'dead') {
    throw new ServiceError(
      'SVC-RES-003',
      `The lease of ${name} and its grace ended at ${roundTime(context, graceEndRound)}; register it again.`
    )
  }
  if (linksOf(record.reveal).length > context.profile.chain_max) {
    throw new ServiceError(
      'SVC-PUB-001',
      `${name} has been renewed ${context.profile.chain_max} times, as often ` +
        'as the network allows; let it lapse and register it again.'
    )
  }
  await requireBeacon(context)
  requireNoTask(tasks, name)
  const zoneSaved = zone === undefined ? [] : [savingZone(context, name, zone, { withReveal: true })]
  return tasks.create({ name, kind: 'renew' }, [
    ...zoneSaved,
    ...(record.released === true ? [context.owned.settingReleased(requireOwned(context, name), false)] : [])
  ])
}

/** A name that was lost or cancelled, or whose lease and grace have ended, may be registered again. */
function requireNotOwned(context: RegistryContext, name: Name): void {
  const record = context.owned.get(name)
  if (record === undefined || isGone(record) || formerRecord(context, name) !== undefined) return
  throw ownedAlready(name)
}

/** One that lapsed, was cancelled or sold, and gives way to a new registration. */
function formerRecord(context: RegistryContext, name: Name): OwnedName | undefined {
  const record = context.owned.get(name)
  if (record === undefined) return undefined
  return isCancelled(record) ||
    record.sold !== undefined ||
    leaseOf(context, record.reveal.drand_pulse).state === 'dead'
    ? record
    : undefined
}

/** BigInt would take months for what the addon does in half an hour. */
function requireAddon({ pool }: RegistryContext): void {
  if (pool.missingAddon !== undefined) throw new ServiceError('SVC-VDF-001', pool.missingAddon)
}

function requireNoTask(tasks: ClaimTasks, name: Name): void {
  const running = tasks.running(name)
  if (running !== undefined) throw runningAlready(name, running.task_id)
}

/**
 * A claim of our own key that this daemon had forgotten (a restored seed, a lost database) is taken up as owned. The
 * answer is SVC-REG-001 with `taken_up`, since the answer to a new registration has a task's id.
 */
async function requireFree(context: RegistryContext, name: Name): Promise<void> {
  const holder = await holderOf(context, name)
  const sold = context.owned.get(name)?.sold
  switch (holder.by) {
    case 'nobody': {
      const { claims, heard, shown } = holder
      if (claims > 0)
        context.log.warn(
          { name, listed_by: claims, of: heard, shown_by: shown },
          'peers list this name, but none has shown a record of it whose lease runs: the ' +
            'registration continues. If they do hold it, they will refuse the claim'
        )
      return
    }
    case 'several':
      throw new ServiceError('SVC-REG-001', `${name} is claimed already, by more than one key.`)
    case 'own':
      if (formerRecord(context, name) === undefined) context.owned.save(holder.newest.reveal, { published: true })
      else context.owned.replace(holder.newest.reveal, {})
      throw new ServiceError(
        'SVC-REG-001',
        `${name} is registered already by a key of this daemon's seed. This daemon has taken ` +
          'it up: see `chronym names`. Nothing was computed, and no zone saved.',
        { extensions: { taken_up: true } }
      )
    case 'other':
      throw new ServiceError(
        'SVC-REG-001',
        `${name} is registered by another key (${toHex(holder.newest.claim.pubkey)}) until ${holder.until}.` +
          (sold === undefined ? '' : ` ${soldText(sold)}. ${acknowledgeText(name)}.`)
      )
  }
}

function ownedAlready(name: Name): ServiceError {
  return new ServiceError(
    'SVC-REG-001',
    `This daemon owns ${name} already; extend its lease with a renewal (POST /api/vdf/renew or \`chronym renew ${name}\`).`,
    { extensions: { owned: true } }
  )
}

/**
 * Lets a name lapse: no automatic renewal; its zone stays published until its lease ends. A sold name leaves the list.
 * SVC-NAM-*, SVC-OWN-001, SVC-RES-003 when it has lapsed already, SVC-REG-002 while a task of it runs, SVC-STO-001.
 */
export function release(context: RegistryContext, tasks: ClaimTasks, text: string): void {
  const name = openName(context, text)
  const sold = context.owned.get(name)?.sold
  if (sold !== undefined) {
    acknowledge(context, name)
    return
  }
  requireAlive(context, name)
  const running = tasks.running(name)
  if (running !== undefined) {
    throw new ServiceError(
      'SVC-REG-002',
      `The renewal of ${name} is under way (${running.task_id}): cancel it first, or keep the name.`,
      { extensions: { task_id: running.task_id } }
    )
  }
  context.owned.setReleased(name, true)
  context.log.info({ name }, 'this name is released: nothing renews it by itself')
}

/** A sold name leaves the list, and the record from before the sale is sent to no peer any more. */
function acknowledge({ owned, store, network, log }: RegistryContext, name: Name): void {
  store.batch([owned.removing(name), { delete: keys.zone(name) }])
  network.withdrawReveal(name, undefined)
  log.info({ name }, 'this name is sold, and leaves the list of this daemon')
}

/**
 * Takes a released name back: automatic renewal resumes, and so does sending its record again, which a cancelled
 * registration had ended. As {@link release}, but whatever task runs.
 */
export function takeBack(context: RegistryContext, text: string): void {
  const name = openName(context, text)
  const { reveal } = requireAlive(context, name)
  if (context.owned.get(name)?.released === true) context.network.withdrawReveal(name, reveal)
  context.owned.setReleased(name, false)
}

function requireAlive(context: RegistryContext, name: ReturnType<typeof openName>): OwnedName {
  const record = requireOwned(context, name)
  const { state, graceEndRound } = leaseOf(context, record.reveal.drand_pulse)
  if (state === 'dead')
    throw new ServiceError(
      'SVC-RES-003',
      `The lease of ${name} and its grace ended at ${roundTime(context, graceEndRound)}: it has lapsed.`
    )
  return record
}
