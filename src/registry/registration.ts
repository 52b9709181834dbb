import { ServiceError } from '../errors.ts'
import { equalBytes, toHex } from '../protocol/bytes.ts'
import type { Name } from '../protocol/names.ts'
import { linksOf } from '../protocol/reveal.ts'
import { parseZone } from '../protocol/zone.ts'
import type { TaskManager, TaskView } from '../tasks/types.ts'
import { requireBeacon } from './commitments.ts'
import { openName, ownKey, type RegistryContext } from './context.ts'
import { leaseOf, roundTime } from './lease-times.ts'
import { claimsIn, isHeldByMost } from './secrecy.ts'
import { revealOf, survey } from './survey.ts'
import { requireOwned, saveZone, saveZoneForRenewal } from './zones.ts'

/** Of the peers asked, how many must hold a name for it to count as taken while most do not: newcomers hold little yet. */
const BELIEVED_SHARE = 1 / 3

/** Starts a registration after everything that can be known before days of work. SVC-NAM-*, SVC-ZON-002, SVC-REG-*, SVC-BCN-001, SVC-RES-001, SVC-TSK-002. */
export async function register(context: RegistryContext, tasks: TaskManager, text: string, { zone }: { zone?: unknown }): Promise<TaskView> {
  const name = openName(context, text)
  if (zone !== undefined) parseZone(zone, context.profile)
  requireNotOwned(context, name)
  requireNoTask(tasks, name)
  await requireBeacon(context)
  await requireFree(context, name)
  // Another request may have come meanwhile, whose zone this one must not replace.
  requireNoTask(tasks, name)
  if (zone !== undefined) saveZone(context, name, zone)
  return tasks.create({ name, kind: 'register' })
}

/** Starts a renewal. SVC-NAM-*, SVC-ZON-002, SVC-OWN-001, SVC-REG-001, SVC-REG-002, SVC-RES-003, SVC-PUB-001, SVC-BCN-001, SVC-STO-001. */
export async function renew(context: RegistryContext, tasks: TaskManager, text: string, { zone }: { zone?: unknown }): Promise<TaskView> {
  const name = openName(context, text)
  if (zone !== undefined) parseZone(zone, context.profile)
  const record = requireOwned(context, name)
  requireNoTask(tasks, name)
  if (record.standing === 'lost') throw new ServiceError('SVC-REG-001', `${name} was lost to another key, on which the peers have settled; a renewal would be refused.`)
  const { state, graceEndRound } = leaseOf(context, record.reveal.drand_pulse)
  if (state === 'dead') {
    throw new ServiceError('SVC-RES-003', `The lease of ${name} and its grace ended at ${roundTime(context, graceEndRound)}; register it anew.`)
  }
  if (linksOf(record.reveal).length > context.profile.chain_max) {
    throw new ServiceError('SVC-PUB-001', `${name} has been renewed ${context.profile.chain_max} times, as often as the network allows; let it lapse and register it anew.`)
  }
  await requireBeacon(context)
  requireNoTask(tasks, name)
  if (zone !== undefined) saveZoneForRenewal(context, name, zone)
  return tasks.create({ name, kind: 'renew' })
}

/** A name that was lost, or whose lease and grace have ended, may be registered anew. */
function requireNotOwned(context: RegistryContext, name: Name): void {
  const record = context.owned.get(name)
  if (record === undefined || record.standing === 'lost') return
  if (leaseOf(context, record.reveal.drand_pulse).state === 'dead') { context.owned.remove(name); return; }
  throw ownedAlready(name)
}

function requireNoTask(tasks: TaskManager, name: Name): void {
  const running = tasks.list().find((task) => task.name === name && task.status === 'running')
  if (running === undefined) return
  throw new ServiceError('SVC-REG-002', `A task for ${name} is running already (${running.task_id}).`, { extensions: { task_id: running.task_id } })
}

/**
 * Looks for a claim without announcing the name. Only where most peers have named one, so that there is nothing left to hide, is
 * the name itself asked for. A claim of our own key that this daemon had forgotten (a restored seed, a lost database) is taken up as owned.
 */
async function requireFree(context: RegistryContext, name: Name): Promise<void> {
  const found = await context.network.probe(name)
  if (isHeldByMost(found)) return requireDead(context, name)
  const { claims, heard } = claimsIn(found)
  // Fewer are believed, too, but for a lone liar among many; asking further would tell them what we want.
  if (claims > 0 && claims >= Math.min(context.profile.witness_quorum, Math.ceil(heard * BELIEVED_SHARE))) {
    throw new ServiceError('SVC-REG-001', `${name} is held by ${claims} of the ${heard} peers asked.`)
  }
}

async function requireDead(context: RegistryContext, name: Name): Promise<void> {
  const found = await survey(context, name)
  if (found.tally.kind === 'contested') throw new ServiceError('SVC-REG-001', `${name} is claimed already, by more than one key.`)
  if (found.tally.kind !== 'owner') return
  const { pubkey, newest } = found.tally.owner
  const lease = leaseOf(context, newest.newestRound)
  if (lease.state === 'dead') return
  if (equalBytes(pubkey, ownKey(context, name).publicKey)) {
    context.owned.save(revealOf(found, newest), { published: true })
    throw ownedAlready(name)
  }
  throw new ServiceError('SVC-REG-001', `${name} is registered by another key (${toHex(pubkey)}) until ${roundTime(context, lease.endRound)}.`)
}

function ownedAlready(name: Name): ServiceError {
  return new ServiceError('SVC-REG-001', `This daemon owns ${name} already; extend its lease with a renewal (POST /api/vdf/renew, chronym renew ${name}).`)
}
