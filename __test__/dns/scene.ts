/** A registry that the tests fill, and records of names in it. */
import { ServiceError } from '../../src/errors.ts'
import type { Reveal } from '../../src/protocol/claim/reveal.ts'
import { builtInProfiles } from '../../src/protocol/profile/built-in.ts'
import { serializeZone } from '../../src/protocol/zone/zone.ts'
import type { LookedUp, Registry } from '../../src/registry/use-cases.ts'

export const NAME = 'alice.chronym'

/** A record that nobody verifies, with an address at its apex. */
export function revealOf(address: string, name = NAME): Reveal {
  const records = { '@': [{ type: 'A' as const, value: address, ttl: 60 }] }
  return {
    name,
    pubkey: new Uint8Array(32),
    drand_pulse: 1,
    iterations: 1,
    vdf_proof: new Uint8Array(1),
    signature: new Uint8Array(64),
    payload: serializeZone({ records }, 1, builtInProfiles.local)
  }
}

export function settled(address: string, name = NAME): LookedUp {
  return {
    resolved: {
      reveal: revealOf(address, name),
      checkCode: '7kq2mx0123456789abcdefghjk',
      confidence: 'settled',
      source: 'network'
    },
    isPinFirm: true,
    freshMs: 60_000,
    staleMs: 600_000
  }
}

type Asked = Parameters<Registry['lookUp']>

/** What it does not hold is absent for thirty seconds. */
export class SmallRegistry implements Pick<Registry, 'lookUp' | 'forget' | 'onForgotten' | 'isOwnRecord'> {
  readonly names = new Map<string, LookedUp | Error>()
  readonly asked: string[] = []
  /** Names of the daemon's own. */
  readonly own = new Set<string>()
  readonly forgotten: (string | undefined)[] = []
  readonly #listeners = new Set<(name: string | undefined) => void>()
  /** Awaited before each answer. */
  before: (name: string, options: Asked[1]) => Promise<unknown> = () => Promise.resolve()

  async lookUp(name: string, options: Asked[1]): Promise<LookedUp> {
    this.asked.push(name)
    await this.before(name, options)
    const found = this.names.get(name)
    if (found instanceof Error) throw found
    const failure = new ServiceError('SVC-RES-002', `${name} is not registered.`)
    return found ?? { failure, freshMs: 30_000, staleMs: 30_000 }
  }

  isOwnRecord({ name }: Reveal): boolean {
    return this.own.has(name)
  }

  forget(name?: string): void {
    this.forgotten.push(name)
    for (const listener of this.#listeners) listener(name)
  }

  onForgotten(listener: (name: string | undefined) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
}
