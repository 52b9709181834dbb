/** The size of a checkpoint on disk, and how long resuming from it takes. */
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { addon } from '../../src/native/addon.ts'
import { CheckpointWriter } from '../../src/evaluations/checkpoint-writer.ts'
import { loadCheckpoints } from '../../src/evaluations/checkpoints.ts'
import { BITS, MEMORY_BYTES, SEED } from './real-tasks.ts'
import { discriminant, type Squared } from './squared.ts'

export interface CheckpointFigures {
  readonly iterations: number
  readonly bytes: number
  /** Writing all of it at once; a task writes what is new, every `vdf.checkpoint_seconds`. */
  readonly write_seconds: number
  /** Reading and hashing the files. */
  readonly load_seconds: number
  /** The kernel checks every form; null where there is no evaluation behind the bytes. */
  readonly resume_seconds: number | null
}

export async function measureCheckpoint({ iterations, state, intermediates }: Squared): Promise<CheckpointFigures> {
  const figures = await writeAndLoad(iterations, state, intermediates)
  const startedAt = performance.now()
  addon().Evaluation.resume(discriminant, state, intermediates)
  return { ...figures, resume_seconds: since(startedAt) }
}

/**
 * The most that a task of any length writes with this memory: the kernel stores no more forms, even for thirty days.
 */
export async function measureLargest(state: Uint8Array): Promise<CheckpointFigures> {
  return { ...(await writeAndLoad(10 ** 12, state, new Uint8Array(MEMORY_BYTES).fill(7))), resume_seconds: null }
}

async function writeAndLoad(
  iterations: number,
  state: Uint8Array,
  intermediates: Uint8Array
): Promise<Omit<CheckpointFigures, 'resume_seconds'>> {
  const root = mkdtempSync(join(tmpdir(), 'chronym-bench-checkpoint-'))
  const directory = join(root, 'task')
  const evaluation = { seed: SEED, discriminantBits: BITS, iterations, split: null }
  try {
    const writer = await CheckpointWriter.open(directory, evaluation, undefined, (error) => {
      throw error
    })
    const writing = performance.now()
    writer.accept({ state, appended: intermediates, appendedFrom: 0, squarings: iterations })
    await writer.close()
    const write_seconds = since(writing)
    const loading = performance.now()
    if ((await loadCheckpoints(directory, evaluation)).believed.length === 0)
      throw new Error('what was written could not be loaded')
    const load_seconds = since(loading)
    const bytes = readdirSync(directory).reduce((sum, name) => sum + statSync(join(directory, name)).size, 0)
    return { iterations, bytes, write_seconds, load_seconds }
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

function since(startedAt: number): number {
  return Number(((performance.now() - startedAt) / 1000).toFixed(3))
}
