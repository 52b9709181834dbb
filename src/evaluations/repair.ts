/**
 * Repairs damaged intermediates. An evaluation resumes from the newest checkpoint before the damage and overwrites the
 * damaged records. Records never change, so squaring them again gives the same bytes.
 * All that follows the damage stays where it is. Once the hash of the nearest state fits again, the evaluation resumes
 * from the newest whole state. So it repeats no more than the stretch between two marks.
 * A kill at any instant leaves partly repaired intermediates, and states with the hash of what each counts. They tell
 * the next start where to resume. Until then the repair's own generations are `repair.0` and `repair.1`, a kilobyte
 * each.
 */
import type { Hash } from 'node:crypto'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { CHUNK_BYTES, failureOfDisk, INTERMEDIATES, type FoundCheckpoints, type StoredState } from './checkpoints.ts'

interface Reached {
  readonly squarings: number
  readonly length: number
  readonly digest: Hash
}

export class Repair {
  readonly #path: string
  /** Bytes of intermediates that were there when it began. */
  readonly #available: number
  /** The nearest first. */
  readonly #beyond: StoredState[]
  /** The caller of {@link isOver} calls it then, with the squarings reached. */
  readonly onOver: (squarings: number) => void

  constructor(directory: string, { beyond, length }: FoundCheckpoints, onOver: (squarings: number) => void) {
    this.#path = join(directory, INTERMEDIATES)
    this.#available = length
    this.#beyond = [...beyond]
    this.onOver = onOver
  }

  /** Squarings saved if all but the present stretch is whole; further damage shows when the evaluation reaches it. */
  spared(): number {
    const newest = this.#beyond.findLast(({ length }) => length <= this.#available)
    return newest === undefined ? 0 : newest.squarings - this.#beyond[0]!.squarings
  }

  /** Called for each checkpoint on disk: whether a better one exists by now, or nothing is left beyond it. */
  async isOver({ squarings, length, digest }: Reached): Promise<boolean> {
    for (let nearest = this.#beyond[0]; nearest !== undefined; nearest = this.#beyond[0]) {
      const isPassed = nearest.squarings <= squarings || nearest.length < length
      if (!isPassed) return await this.#fits(nearest, length, digest)
      this.#beyond.shift()
    }
    return true
  }

  /** Whether a state counts exactly what is reached and what follows it on disk. */
  async #fits({ length, intermediatesDigest }: StoredState, reached: number, digest: Hash): Promise<boolean> {
    const hash = digest.copy()
    const file = await open(this.#path, 'r')
    try {
      const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, length - reached))
      for (let offset = reached; offset < length;) {
        const { bytesRead } = await file.read(chunk, 0, Math.min(chunk.length, length - offset), offset)
        if (bytesRead === 0) return false
        hash.update(chunk.subarray(0, bytesRead))
        offset += bytesRead
      }
    } catch (error) {
      failureOfDisk(error)
      return false
    } finally {
      await file.close()
    }
    return hash.digest().equals(intermediatesDigest)
  }
}
