/** A network of real daemons: started a few at a time, killed, torn apart, asked. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { firstLine, runBeacon } from '../../../scripts/program.ts'
import { test } from '../../../src/protocol/profile/built-in.ts'
import { eventually, register, type Answer, type Daemon, type Scene } from '../processes.ts'
import { makePlaces, type Places } from './places.ts'

/** Daemons that start at the same time: each takes a core for a second. */
const STARTED_TOGETHER = 3

/** `test`, with names that cost little, settle soon, are pinned soon and live on. */
export const PROFILE = {
  ...test,
  id: 'fleet',
  difficulty: { base: 20_000, by_length: [{ from: 1, factor: 1 }] },
  stamp_bits: 6,
  contest: 3,
  settle: 8,
  pin_after: 20,
  lease: 24 * 3600
}

/** What one daemon says of a name. */
export interface Said {
  readonly status: number
  readonly code: string | undefined
  /** Hexadecimal. */
  readonly owner: string | undefined
}

export class Fleet {
  readonly places: Places
  /** Those that run, by their place. */
  readonly members = new Map<number, Daemon>()
  readonly #scene: Scene
  readonly #profile: string
  readonly #directories: string[]
  readonly #beaconUrl: string
  readonly #clockShifts: ReadonlyMap<number, number>
  readonly #addresses = new Map<number, string>()

  private constructor(
    scene: Scene,
    places: Places,
    directory: string,
    beaconUrl: string,
    clockShifts: ReadonlyMap<number, number>
  ) {
    this.#scene = scene
    this.places = places
    this.#beaconUrl = beaconUrl
    this.#clockShifts = clockShifts
    this.#profile = join(directory, 'profile.json')
    writeFileSync(this.#profile, JSON.stringify(PROFILE))
    this.#directories = places.places.map((_, index) => join(directory, String(index)))
    for (const [index, ms] of clockShifts) writeFileSync(join(directory, `shift-${index}`), String(ms))
  }

  /** `clockShifts`: milliseconds by place. */
  static async create(scene: Scene, count: number, clockShifts: ReadonlyMap<number, number>): Promise<Fleet> {
    const directory = scene.directory()
    const places = makePlaces(count, directory)
    scene.onEnd(() => places.remove())
    const { url } = await firstLine<{ url: string }>(scene.child(runBeacon(['--host', places.ourHost])))
    return new Fleet(scene, places, directory, url, clockShifts)
  }

  /**
   * A few at a time; resolves when all of them answer. The first two, and those that join later, are found through the
   * first and the last.
   */
  async start(indices: readonly number[]): Promise<void> {
    for (let at = 0; at < indices.length; at += STARTED_TOGETHER) {
      await Promise.all(indices.slice(at, at + STARTED_TOGETHER).map((index) => this.#start(index)))
    }
  }

  async #start(index: number): Promise<void> {
    const { listen, surroundings, apiHost } = this.places.places[index]!
    const shift = this.#clockShifts.has(index)
    const directory = this.#directories[index]!
    const through = [...this.#addresses].filter(([other]) => other !== index).map(([, address]) => address)
    const bootstrap = [...new Set([...through.slice(0, 2), ...through.slice(-2)])].flatMap((address) => [
      '--bootstrap',
      address
    ])
    const args = [
      '--network',
      this.#profile,
      '--data-dir',
      directory,
      '--host',
      apiHost,
      '--beacon-url',
      this.#beaconUrl,
      '--log-level',
      'warn',
      ...bootstrap
    ]
    const daemon = await this.#scene.daemon(args, {
      ...surroundings,
      listen,
      preload: [...[surroundings.preload ?? []].flat(), ...(shift ? ['__test__/e2e/clock-shift.ts'] : [])],
      environment: {
        ...surroundings.environment,
        ...(shift && { CLOCK_SHIFT_FILE: join(directory, '..', `shift-${index}`) })
      }
    })
    this.#addresses.set(index, daemon.address)
    this.members.set(index, daemon)
  }

  async end(indices: readonly number[], signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    const ending = indices.map((index) => this.daemon(index).signal(signal))
    for (const index of indices) this.members.delete(index)
    await Promise.all(ending)
  }

  async setMode(index: number, mode: 'full' | 'light'): Promise<void> {
    const { status, body } = await this.daemon(index).request('POST', '/api/config', { mode })
    if (status !== 200) throw new Error(`daemon ${index} does not become ${mode}: ${JSON.stringify(body)}`)
  }

  daemon(index: number): Daemon {
    const daemon = this.members.get(index)
    if (daemon === undefined) throw new Error(`daemon ${index} does not run`)
    return daemon
  }

  running(): number[] {
    return [...this.members.keys()].sort((left, right) => left - right)
  }

  /** Waits until each of them has at least `peers` peers. */
  async connected(indices: readonly number[], peers: number): Promise<void> {
    await eventually(
      () =>
        Promise.all(
          indices.map(
            async (index) =>
              ((await this.daemon(index).request('GET', '/api/network-status')).body as { peers: number }).peers
          )
        ),
      (counts) => counts.every((count) => count >= peers)
    )
  }

  /** Registers a name and waits until the task has ended. */
  register(index: number, name: string): Promise<void> {
    return register(this.daemon(index), name)
  }

  /** As GET /api/explain, which always asks the network; waits while no peer can be asked. */
  async explain(index: number, name: string): Promise<Answer> {
    const { body } = await eventually(
      () => this.daemon(index).request('GET', `/api/explain/${name}`),
      ({ status }) => status === 200
    )
    return body
  }

  async resolve(index: number, name: string): Promise<Said> {
    const { status, body } = await this.daemon(index).request('GET', `/api/resolve/${name}`)
    return {
      status,
      code: body.code as string | undefined,
      owner: body.pubkey === undefined ? undefined : Buffer.from(body.pubkey as number[]).toString('hex')
    }
  }

  /** What the daemon itself holds of a name: `<state> <claim id>`, or `none`. */
  async holds(index: number, name: string): Promise<string> {
    const { held_here: held } = (await this.explain(index, name)) as {
      held_here: { state: string; claim_id: string } | null
    }
    return held === null ? 'none' : `${held.state} ${held.claim_id}`
  }
}
