/**
 * A real disk that can be told to fail, and that tells when it is at rest. For a test file that says
 * `vi.mock('node:fs/promises', async (original) => (await import('./faulty-disk.ts')).faulty(await original()))`.
 */
import type * as FileSystem from 'node:fs/promises'
import { settle } from '../time/manual-clock.ts'

type Handle = FileSystem.FileHandle

/** One that changes the disk. */
export interface Operation {
  readonly name: 'write' | 'writeFile' | 'sync' | 'datasync' | 'rename' | 'rm' | 'mkdir'
  /** Of a rename: the path that is replaced. */
  readonly path?: string
  /** Of a write: where. */
  readonly offset?: number
}

class FaultyDisk {
  /**
   * Called before each operation that changes the disk; what it throws fails the operation, of which half is done where
   * it writes bytes.
   */
  onChange: (operation: Operation) => void = () => undefined
  /** Called before bytes of a file are read. */
  onRead: (offset: number, size: number) => void = () => undefined
  #working = 0

  heal(): void {
    this.onChange = () => undefined
    this.onRead = () => undefined
  }

  /** Resolves when pending work on the disk has ended. */
  async rest(): Promise<void> {
    do await settle()
    while (this.#working > 0)
  }

  /** Does the work; `before` may throw in its place. */
  async at<T>(
    work: () => Promise<T>,
    before: () => void = () => undefined,
    instead: () => Promise<unknown> = () => Promise.resolve()
  ): Promise<T> {
    this.#working++
    try {
      try {
        before()
      } catch (error) {
        await instead()
        throw error
      }
      return await work()
    } finally {
      this.#working--
    }
  }
}

export const disk = new FaultyDisk()

/** A failure of the operating system. */
export function diskError(code: 'EIO' | 'ENOSPC'): Error {
  return Object.assign(new Error(`${code}: the disk fails`), { code, syscall: 'write' })
}

const changing =
  (name: Operation['name'], at: Omit<Operation, 'name'> = {}) =>
  (): void =>
    disk.onChange({ name, ...at })

export function faulty(system: typeof FileSystem): typeof FileSystem {
  return {
    ...system,
    open: (...args) => disk.at(async () => wrap(await system.open(...args))),
    rename: (...args) => disk.at(() => system.rename(...args), changing('rename', { path: String(args[1]) })),
    rm: (...args) => disk.at(() => system.rm(...args), changing('rm')),
    mkdir: ((...args: Parameters<typeof system.mkdir>) =>
      disk.at(() => system.mkdir(...args), changing('mkdir'))) as typeof system.mkdir
  }
}

function wrap(handle: Handle): Handle {
  // A handle has them on itself or on its prototype: they are bound before they are replaced.
  const real = {
    write: handle.write.bind(handle) as (
      bytes: Uint8Array,
      offset: number,
      length: number,
      position: number
    ) => Promise<unknown>,
    writeFile: handle.writeFile.bind(handle) as (bytes: Uint8Array) => Promise<void>,
    read: handle.read.bind(handle) as (
      buffer: Uint8Array,
      offset: number,
      length: number,
      position: number
    ) => Promise<unknown>,
    sync: handle.sync.bind(handle),
    datasync: handle.datasync.bind(handle),
    stat: handle.stat.bind(handle),
    close: handle.close.bind(handle)
  }
  const own: Record<keyof typeof real, unknown> = {
    write: (bytes: Uint8Array, offset: number, length: number, position: number) => {
      const write = (size: number): Promise<unknown> => real.write(bytes, offset, size, position)
      return disk.at(
        () => write(length),
        changing('write', { offset: position }),
        () => write(length >> 1)
      )
    },
    writeFile: (bytes: Uint8Array) =>
      disk.at(
        () => real.writeFile(bytes),
        changing('writeFile'),
        () => real.writeFile(bytes.subarray(0, bytes.length >> 1))
      ),
    read: (buffer: Uint8Array, offset: number, length: number, position: number) =>
      disk.at(
        () => real.read(buffer, offset, length, position),
        () => disk.onRead(position, length)
      ),
    sync: () => disk.at(real.sync, changing('sync')),
    datasync: () => disk.at(real.datasync, changing('datasync')),
    stat: () => disk.at(() => real.stat()),
    close: () => disk.at(real.close)
  }
  return Object.assign(handle, own)
}
