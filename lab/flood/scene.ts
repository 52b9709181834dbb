/** The start of every flood: a beacon, the victim in its own process, and an honest owner in this one. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import type { ChildProcess } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startDevBeacon } from '../../src/beacon/dev-beacon.ts'
import { createNativePool } from '../../src/native/pool/pool.ts'
import type { NativePool } from '../../src/native/types.ts'
import { ask, startChild, type End } from './children.ts'
import type { VictimReady, VictimStart } from './messages.ts'
import { startOwner, type Owner } from './owner.ts'
import { FLOOD_PROFILE } from './profile.ts'

export interface Scene {
  /** Removed at the end. */
  readonly directory: string
  readonly beaconUrl: string
  readonly victim: ChildProcess
  /** Where the victim listens for peers. */
  readonly address: string
  readonly owner: Owner
  readonly pool: NativePool
  /** Called at the end, the last one first. */
  readonly ends: End[]
}

/** Starts the scene, runs `play` in it, and stops everything. */
export async function inScene<T>(play: (scene: Scene) => Promise<T>): Promise<T> {
  const directory = mkdtempSync(join(tmpdir(), 'chronym-flood-'))
  const ends: End[] = [
    () => {
      rmSync(directory, { recursive: true, force: true })
      return undefined
    }
  ]
  try {
    const server = await startDevBeacon({ host: '127.0.0.1', port: 0, profileBeacon: FLOOD_PROFILE.beacon })
    ends.push(() => server.close())
    const victim = startChild('victim.ts', ends, { execArgv: ['--expose-gc'] })
    mkdirSync(join(directory, 'victim'))
    const { address } = await ask<VictimReady>(victim, {
      directory: join(directory, 'victim'),
      beaconUrl: server.url,
      nodeSeed: '07'.repeat(32)
    } satisfies VictimStart)
    const pool = createNativePool({ evaluationThreads: 1, auxiliaryThreads: 1 })
    ends.push(() => pool.close())
    const owner = await startOwner(address, server.url, join(directory, 'owner', 'chronym.db'), pool)
    ends.push(() => owner.stop())
    return await play({ directory, beaconUrl: server.url, victim, address, owner, pool, ends })
  } finally {
    for (const end of ends.reverse()) await end()
  }
}
