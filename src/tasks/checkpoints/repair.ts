/**
 * Making good damaged intermediates. An evaluation goes on from the newest checkpoint before the damage and writes over
 * what is damaged: records never change, so what it squares anew are the bytes that stood there. All that lies beyond
 * stays where it is; as soon as it fits again, which the hash of the nearest state tells, the evaluation goes on from
 * the newest state that is whole: it has squared anew no more than the stretch between two marks.
 *
 * Killed at any instant it leaves intermediates of which a part is made good, and states, each with the hash of what it
 * counts: the next start finds by them where to go on. Until then its own generations are `repair.0` and `repair.1`;
 * each is a kilobyte.
 */
import type { Hash } from 'node:crypto'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { CHUNK_BYTES, failureOfDisk, INTERMEDIATES, type FoundCheckpoints, type StoredState } from './checkpoints.ts'

/** What a checkpoint of the repairing evaluation has reached. */
interface Reached {
  readonly squarings: number
  /** Bytes of intermediates that it counts. */
  readonly length: number
  /** SHA-256 so far, of those. */
  readonly digest: Hash
}

export class Repair {
  readonly #path: string
  /** Bytes of intermediates that were there when it began. */
  readonly #available: number
  /** The nearest first. */
  readonly #beyond: StoredState[]
  /** For whoever asks {@link isOver} to call, once it is: with the squarings reached. */
  readonly onOver: (squarings: number) => void

  constructor(directory: string, { beyond, length }: FoundCheckpoints, onOver: (squarings: number) => void) {
    this.#path = join(directory, INTERMEDIATES)
    this.#available = length
    this.#beyond = [...beyond]
    this.onOver = onOver
  }

  /**
   * Squarings that need not be done again if all but the stretch under way is whole: what else is damaged shows when
   * that is reached.
   */
  spared(): number {
    const newest = this.#beyond.findLast(({ length }) => length <= this.#available)
    return newest === undefined ? 0 : newest.squarings - this.#beyond[0]!.squarings
  }

  /**
   * Told of each checkpoint once that is on disk: whether there is a better one by now, or nothing beyond it any more.
   */
  async isOver({ squarings, length, digest }: Reached): Promise<boolean> {
    for (let nearest = this.#beyond[0]; nearest !== undefined; nearest = this.#beyond[0]) {
      const isPassed = nearest.squarings <= squarings || nearest.length < length
      if (!isPassed) return await this.#fits(nearest, length, digest)
      this.#beyond.shift()
    }
    return true
  }

  /** Whether a state counts just what is reached and what follows it on disk. */
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
