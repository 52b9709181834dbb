import { acceptOffer, keysOf, offerFor } from './keys/changes.ts'
import { changeWordsView, setChangePoint } from './keys/change-words.ts'
import { ServiceError } from '../errors.ts'
import { canonicalName } from '../protocol/name/names.ts'
import type { ClaimTasks } from './tasks.ts'
import { AutomaticRenewal } from './upkeep/automatic-renewal.ts'
import { hasOwnKey, openName, type RegistryContext } from './context.ts'
import { estimate, MeasuredRate, renewalGain } from './claims/estimate.ts'
import { explain } from './explanation/explain.ts'
import { resolveIdentity, resolveIdentityLog } from './identities/resolve.ts'
import { publishManifest, createKid, publishKid } from './identities/publish.ts'
import { ownIdentities, IdentityUpkeep } from './identities/own.ts'
import { commit, publish } from './claims/manual.ts'
import { PinListUpkeep } from './resolution/pin-lists.ts'
import { PinUpkeep, forgetPin, listPins, pinCodes } from './resolution/pins.ts'
import { PublishBudgets } from './publication/publishing.ts'
import { register, renew, release, takeBack } from './claims/registration.ts'
import { Resolver } from './resolution/resolver.ts'
import { translated, translatedSync } from '../service-errors.ts'
import { OwnershipCheck } from './ownership/ownership-check.ts'
import { addressViews, kept, networkDiversity, networkStatus, ownedNames, peerView, peerViews } from './status.ts'
import { discardZone, listDrafts, checkZone, localZone, saveZone, zoneOf, patchZone } from './zones/zones.ts'
import { publishZone } from './zones/publish.ts'
import type { Registry, RegistryEvent } from './use-cases.ts'
import type { OwnedNameView } from '../views/own.ts'
import { Adoptions } from './upkeep/adoptions.ts'

export interface RegistryOptions {
  /** `auto_renew`, read at each use: whether names are renewed before their leases end. Default: true. */
  readonly automaticRenewal?: () => boolean
  /** `vdf.max_tasks`, read at each use. Default: 1. */
  readonly slots?: () => number
  /** Evaluations that a farm takes beside those, read at each use. Default: 0. */
  readonly farmRoom?: () => number
  /** The owner gives up what the database lost; false where it lost nothing of that name or DID. */
  readonly giveUp?: (nameOrDid: string) => boolean
}

/** Wires the use cases. `tasks`: made from the same context. */
export function createRegistry(context: RegistryContext, tasks: ClaimTasks, options: RegistryOptions = {}): Registry {
  const { network } = context
  const resolver = new Resolver(context, tasks)
  const rate = new MeasuredRate(context, tasks)
  // They sort the whole table, and read the interfaces of this machine.
  const diversity = kept(context.clock, () => networkDiversity(network.origins(), context.profile))
  const addresses = kept(context.clock, () => addressViews(network))
  const listeners = new Set<(event: RegistryEvent) => void>()
  const emit = (event: RegistryEvent): void => {
    for (const listener of listeners) listener(event)
  }
  const slots = options.slots ?? (() => 1)
  const room = (): number => slots() + (options.farmRoom?.() ?? 0)
  const renewal = new AutomaticRenewal(context, tasks, rate, {
    isOn: options.automaticRenewal ?? (() => true),
    slots,
    emit
  })
  const ownership = new OwnershipCheck(context, tasks, emit)
  const identities = new IdentityUpkeep(context)
  const pins = new PinUpkeep(context, tasks)
  const lists = new PinListUpkeep(
    context,
    (name, signal) => resolver.resolve(name, signal),
    () => resolver.forgetAll()
  )
  const adoptions = new Adoptions(context, emit)
  const budgets = new PublishBudgets(context)
  context.pins.onDispute = (name) => resolver.forget(name)
  const ends: (() => void)[] = []

  /** After a publication from here, a cached answer is stale. */
  async function changing<T>(name: string, work: () => Promise<T>): Promise<T> {
    try {
      return await translated(work)
    } finally {
      resolver.forget(canonicalName(name))
    }
  }

  /** A name that leaves the list is shown as it was. */
  function ownedAfter(text: string, change: () => void): OwnedNameView {
    const shown = (): OwnedNameView | undefined => {
      const name = openName(context, text)
      return ownedNames(context, renewal).find((owned) => owned.name === name)
    }
    const before = shown()
    change()
    return (shown() ?? before)!
  }

  return {
    start() {
      ends.push(
        tasks.subscribe(({ type, task }) => {
          if (type === 'completed') resolver.forget(task.name)
        }),
        network.subscribe(({ type, detail }) => {
          if (type !== 'record:stored') return
          const { kind, id } = detail
          if (kind === 'reveal' || kind === 'coded') resolver.forget(String(id))
          if (kind === 'reveal') ownership.changed(String(id))
        })
      )
      ownership.start()
      renewal.start()
      identities.start()
      pins.start()
      lists.start()
      adoptions.start()
      return Promise.resolve()
    },
    async stop() {
      for (const end of ends.splice(0)) end()
      await Promise.all([
        adoptions.stop(),
        pins.stop(),
        lists.stop(),
        identities.stop(),
        renewal.stop(),
        ownership.stop()
      ])
      context.store.settle()
    },
    networkStatus: () =>
      networkStatus(context, { addresses: addresses(), diversity: diversity(), isAlone: resolver.isAlone }),
    peers: () => peerViews(network),
    sampleNames: (count) => network.sampleNames(count),
    clocks: async (signal) => (await network.clocks(signal)).map(({ peer, aheadMs }) => ({ peer, ahead_ms: aheadMs })),
    connect: (address) => translated(async () => peerView(await network.dial(address))),
    async setMode(mode) {
      await translated(() => network.setMode(mode))
      resolver.forgetAll()
    },
    resolve: (name, signal) => resolver.resolve(name, signal),
    kept: (name) => resolver.kept(name),
    lookUp: (name, looking) => resolver.lookUp(name, looking),
    isOwnRecord: (reveal) => hasOwnKey(context, reveal),
    forget: (name) => (name === undefined ? resolver.forgetAll() : resolver.forget(name)),
    onForgotten: (listener) => resolver.onForgotten(listener),
    explain: (name, explaining) => translated(() => explain({ context, tasks, renewal }, name, explaining)),
    resolveIdentity: (did, signal) => translated(() => resolveIdentity(context, did, signal)),
    resolveIdentityLog: (did, signal) => translated(() => resolveIdentityLog(context, did, signal)),
    didMethod: context.profile.did_method,
    ownIdentities: () => translatedSync(() => ownIdentities(context)),
    publicZone: async (name, signal) => zoneOf(context, await resolver.resolve(name, signal)),
    localZone: (name) => localZone(context, name),
    checkZone: (name, zone) => checkZone(context, name, zone),
    saveZone: (name, zone, ifMatchSerial) => saveZone(context, tasks, name, zone, ifMatchSerial),
    patchZone: (name, patch, ifMatchSerial) => patchZone(context, tasks, name, patch, ifMatchSerial),
    discardZone: (name, ifMatchSerial) => {
      discardZone(context, name, ifMatchSerial)
    },
    drafts: () => listDrafts(context, tasks),
    publishZone: (name, signal) => changing(name, () => publishZone(context, tasks, budgets, name, signal)),
    commit: (name, commitment) => translated(() => commit(context, name, commitment)),
    publish: (reveal) => changing(reveal.name, () => publish(context, reveal)),
    createKid: (identity) => translated(() => createKid(context, identity)),
    publishKid: (input) => translated(() => publishKid(context, input)),
    publishManifest: (input) => translated(() => publishManifest(context, input)),
    pins: (after) => translatedSync(() => listPins(context, after)),
    pinCodes(texts, dryRun = false) {
      const { pinned, known } = translatedSync(() => pinCodes(context, texts, dryRun))
      if (!dryRun) for (const name of pinned) resolver.forget(name)
      return { pinned: [...pinned], known }
    },
    pinLists: () => lists.view(),
    followPinList: (source, following) => translated(() => lists.follow(source, following)),
    forgetPin(name) {
      translatedSync(() => forgetPin(context, name))
      resolver.forget(canonicalName(name))
    },
    release: (name) => translatedSync(() => ownedAfter(name, () => release(context, tasks, name))),
    takeBack: (name) => translatedSync(() => ownedAfter(name, () => takeBack(context, name))),
    keysOf: (name) => translated(() => keysOf(context, name)),
    offerFor: (name, alone) => translated(() => offerFor(context, name, alone)),
    acceptOffer: (offer, authority) =>
      translated(async () => {
        try {
          return await acceptOffer(context, offer, authority)
        } finally {
          resolver.forgetAll()
        }
      }),
    changeWords: () => translatedSync(() => changeWordsView(context)),
    setChangePoint: (point) =>
      translatedSync(() => {
        setChangePoint(context, point)
        return changeWordsView(context)
      }),
    adoptions: () => translatedSync(() => adoptions.list()),
    adopt: (nameOrDid) => changing(nameOrDid, () => adoptions.adopt(nameOrDid)),
    stopAdopting(nameOrDid) {
      const isForgotten = translatedSync(() => adoptions.forget(nameOrDid))
      if (options.giveUp?.(nameOrDid) !== true && !isForgotten)
        throw new ServiceError('SVC-WNT-002', `This daemon does not look for ${nameOrDid}.`)
    },
    ownedNames: () => translatedSync(() => ownedNames(context, renewal)),
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    register: (name, request) => translated(() => register(context, tasks, name, request)),
    renew: (name, request) => translated(() => renew(context, tasks, name, request)),
    renewalGain: (name) => translatedSync(() => renewalGain(context, openName(context, name), context.time().now)),
    estimate: (name) => translated(() => estimate({ context, tasks, rate, slots: room }, name))
  }
}
