/** The directories of evaluations in the data directory; checkpoints.ts says what is in one. */
import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

export function taskDirectory(dataDir: string, id: string): string {
  return join(dataDir, 'tasks', id)
}

/** One directory for each evaluation, `<data_dir>/tasks/<id>/`. */
export class EvaluationDirectories {
  readonly #dataDir: string
  readonly #log: { warn(fields: object, message: string): void }
  readonly #discarding = new Set<Promise<void>>()

  constructor(dataDir: string, log: { warn(fields: object, message: string): void }) {
    this.#dataDir = dataDir
    this.#log = log
  }

  /** Never rejects: the next start removes what no evaluation owns. */
  async remove(id: string): Promise<void> {
    try {
      await rm(taskDirectory(this.#dataDir, id), { recursive: true, force: true })
    } catch (error) {
      this.#log.warn({ task: id, err: error }, 'the checkpoints of an ended evaluation could not be removed')
    }
  }

  /** As `remove`, without waiting; `settled` waits. */
  discard(id: string): void {
    const discarding = this.remove(id).finally(() => this.#discarding.delete(discarding))
    this.#discarding.add(discarding)
  }

  async settled(): Promise<void> {
    await Promise.all(this.#discarding)
  }

  /** Removes what a crash left behind between the journal and the file system. */
  async removeOrphans(isNeeded: (id: string) => boolean): Promise<void> {
    const root = join(this.#dataDir, 'tasks')
    await mkdir(root, { recursive: true, mode: 0o700 })
    for (const id of await readdir(root)) if (!isNeeded(id)) await this.remove(id)
  }
}
