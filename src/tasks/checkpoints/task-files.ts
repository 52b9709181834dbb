import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { removeCheckpoints, taskDirectory } from './checkpoints.ts'
import type { TaskLog } from '../types.ts'

export class TaskFiles {
  readonly #dataDir: string
  readonly #log: TaskLog
  readonly #discarding = new Set<Promise<void>>()

  constructor(dataDir: string, log: TaskLog) {
    this.#dataDir = dataDir
    this.#log = log
  }

  /** Never rejects: the next start removes what no evaluation owns. */
  async remove(taskId: string): Promise<void> {
    try {
      await removeCheckpoints(taskDirectory(this.#dataDir, taskId))
    } catch (error) {
      this.#log.warn({ task: taskId, err: error }, 'the checkpoints of an ended evaluation could not be removed')
    }
  }

  /** As `remove`, without waiting; `settled` waits. */
  discard(taskId: string): void {
    const discarding = this.remove(taskId).finally(() => this.#discarding.delete(discarding))
    this.#discarding.add(discarding)
  }

  async settled(): Promise<void> {
    await Promise.all(this.#discarding)
  }

  /** Removes what a crash left behind between the journal and the file system. */
  async removeOrphans(isNeeded: (taskId: string) => boolean): Promise<void> {
    const directory = join(this.#dataDir, 'tasks')
    await mkdir(directory, { recursive: true, mode: 0o700 })
    for (const taskId of await readdir(directory)) {
      if (!isNeeded(taskId)) await this.remove(taskId)
    }
  }
}
