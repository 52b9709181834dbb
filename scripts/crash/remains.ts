/**
 * What a killed daemon left on disk, read by the daemon's own code from a copy: the next start must find the original.
 */
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { keys, prefixes, lastPart } from '../../src/store/keys.ts'
import { openStore } from '../../src/store/open.ts'
import { loadCheckpoints } from '../../src/evaluations/checkpoints.ts'
import { taskDirectory } from '../../src/evaluations/directories.ts'
import { TaskJournal } from '../../src/registry/claims/journal.ts'
import type { TaskState } from '../../src/registry/claims/task.ts'

export interface TaskRemains {
  readonly state: TaskState
  readonly lastEventId: number
  /** Squarings of the newest checkpoint; 0 without one. */
  readonly checkpoint: number
  /** Its finished proof, which has its own file. */
  readonly keptProof: Uint8Array | undefined
  /** What the network client would send again for its name. */
  readonly ownRecord: Uint8Array | undefined
}

export interface Remains {
  readonly tasks: ReadonlyMap<string, TaskRemains>
  readonly ownedNames: readonly string[]
  readonly commitments: number
  /** Broken invariants, one sentence each. */
  readonly damage: readonly string[]
}

const DATABASE_FILES = ['chronym.db', 'chronym.db-wal', 'chronym.db-shm']

export async function readRemains(dataDir: string): Promise<Remains> {
  const scratch = mkdtempSync(join(tmpdir(), 'chronym-remains-'))
  const damage: string[] = []
  try {
    for (const file of DATABASE_FILES) {
      if (existsSync(join(dataDir, file))) cpSync(join(dataDir, file), join(scratch, file))
    }
    const store = openStore(join(scratch, 'chronym.db'), {
      onSetAside: (key, reason) => damage.push(`${key} cannot be read: ${reason}`)
    })
    try {
      const journal = new TaskJournal(store)
      const tasks = new Map<string, TaskRemains>()
      for (const { state, lastEventId } of journal.load()) {
        const found =
          state.plan === null || state.proof !== null
            ? undefined
            : await loadCheckpoints(taskDirectory(dataDir, state.id), state.plan.evaluation)
        damage.push(...(found?.passedOver ?? []))
        tasks.set(state.id, {
          state,
          lastEventId,
          checkpoint: found?.believed[0]?.squarings ?? 0,
          keptProof: journal.keptProof(state.kind, state.name)?.proof,
          ownRecord: store.get(keys.ownRecord('reveal', state.name))
        })
      }
      return {
        tasks,
        ownedNames: Array.from(store.list(prefixes.ownedNames), ([key]) => lastPart(key)),
        commitments: store.count(prefixes.commitments),
        damage
      }
    } finally {
      store.close()
    }
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}
