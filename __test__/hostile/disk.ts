/**
 * What a disk holds after a recorded run (shim.c) was cut off at some change: by kill -9, which loses nothing that was
 * written, or by a power cut, which loses what was not synchronised, in part.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import type { Random } from '../../scripts/crash/random.ts'

const HEAD_BYTES = 40
const SECTORS = [512, 4096]

interface Change {
  /** Create, write, truncate, rename, unlink, make directory, synchronise, synchronise a directory. */
  readonly kind: 'C' | 'W' | 'T' | 'R' | 'U' | 'M' | 'S' | 'D'
  readonly inode: number
  readonly position: number
  readonly a: Buffer
  readonly b: Buffer
  /** Of its entry in the log. */
  readonly end: number
}

export function readChanges(log: string): Change[] {
  const bytes = readFileSync(log)
  const changes: Change[] = []
  for (let at = 0; at < bytes.length;) {
    const [kind, inode, position, first, second] = [0, 1, 2, 3, 4].map((field) =>
      Number(bytes.readBigUInt64LE(at + 8 * field))
    ) as [number, number, number, number, number]
    const a = bytes.subarray(at + HEAD_BYTES, at + HEAD_BYTES + first)
    const b = bytes.subarray(at + HEAD_BYTES + first, at + HEAD_BYTES + first + second)
    at += HEAD_BYTES + first + second
    changes.push({ kind: String.fromCharCode(kind) as Change['kind'], inode, position, a, b, end: at })
  }
  return changes
}

/** Contents by path; null is a directory. */
export type Image = ReadonlyMap<string, Buffer | null>

interface File {
  content: Buffer
  unsynced: Change[]
}

/** One change of a directory: undefined takes the name away. */
type Naming = ReadonlyMap<string, File | null | undefined>

/**
 * After the first `count` changes. `random` makes it a power cut. Of each file, the writes since its last sync arrive
 * whole, in part by sectors, or not at all. Of each directory, the changes since its last sync arrive up to some one:
 * file systems that keep a journal keep their order. A new file is in its directory only once that is synchronised.
 */
export function imageAfter(changes: readonly Change[], count: number, random?: Random): Image {
  const files: File[] = []
  const byInode = new Map<number, File>()
  const live = new Map<string, File | null>()
  const durable = new Map<string, File | null>()
  const unsynced = new Map<string, Naming[]>()
  const name = (path: string, naming: Naming): void => {
    for (const [place, what] of naming) set(live, place, what)
    const directory = dirname(path)
    unsynced.set(directory, [...(unsynced.get(directory) ?? []), naming])
  }
  for (const change of changes.slice(0, count)) {
    const path = change.a.toString()
    const file = byInode.get(change.inode)
    if (change.kind === 'C') {
      const made = { content: Buffer.alloc(0), unsynced: [] }
      byInode.set(change.inode, made)
      files.push(made)
      name(path, new Map([[path, made]]))
    } else if (change.kind === 'M') name(path, new Map([[path, null]]))
    else if (change.kind === 'U') name(path, new Map([[path, undefined]]))
    else if (change.kind === 'R')
      name(
        path,
        new Map([
          [path, undefined],
          [change.b.toString(), live.get(path)]
        ])
      )
    else if (change.kind === 'D') settle(durable, unsynced, path, Infinity)
    else if (change.kind === 'S') for (const each of file!.unsynced.splice(0)) apply(file!, each)
    else file!.unsynced.push(change)
  }
  const cut = changes[count]
  if (random === undefined && cut?.kind === 'W')
    byInode.get(cut.inode)!.unsynced.push({ ...cut, a: cut.a.subarray(0, cut.a.length / 2) })
  for (const file of files) for (const each of file.unsynced) applyInPart(file, each, random)
  for (const [directory, namings] of unsynced)
    settle(durable, unsynced, directory, random === undefined ? Infinity : random.between(0, namings.length))
  return new Map([...durable].map(([path, file]) => [path, file?.content ?? null]))
}

function set(names: Map<string, File | null>, path: string, what: File | null | undefined): void {
  if (what === undefined) names.delete(path)
  else names.set(path, what)
}

function settle(
  durable: Map<string, File | null>,
  unsynced: Map<string, Naming[]>,
  directory: string,
  most: number
): void {
  for (const naming of (unsynced.get(directory) ?? []).splice(0, most))
    for (const [path, what] of naming) set(durable, path, what)
}

function apply(file: File, { kind, position, a }: Change): void {
  const length = kind === 'T' ? position : Math.max(file.content.length, position + a.length)
  const grown = Buffer.alloc(length)
  file.content.copy(grown)
  a.copy(grown, position)
  file.content = grown
}

function applyInPart(file: File, change: Change, random: Random | undefined): void {
  const fate = random?.between(0, 3) ?? 0
  if (fate === 1) return
  if (fate < 2 || change.kind === 'T') {
    apply(file, change)
    return
  }
  // The length arrives without what it promises: zeros.
  apply(file, { ...change, a: Buffer.alloc(0), position: change.position })
  const sector = random!.pick(SECTORS)
  const end = change.position + change.a.length
  const kept = fate === 2 ? random!.between(change.position, end) : end
  for (let at = change.position; at < kept;) {
    const next = Math.min(end, (Math.floor(at / sector) + 1) * sector)
    if (fate === 2 || random!.between(0, 1) === 1)
      apply(file, { ...change, position: at, a: change.a.subarray(at - change.position, next - change.position) })
    at = next
  }
}

/** Puts an image of what was under `from` under `to`. SQLite's index is left out, as a power cut loses it. */
export function writeImage(image: Image, from: string, to: string): void {
  mkdirSync(to, { recursive: true })
  for (const [path, content] of [...image].toSorted(([left], [right]) => (left < right ? -1 : 1))) {
    const place = join(to, relative(from, path))
    // A directory that did not arrive takes its files with it.
    if (path.endsWith('-shm') || (path !== from && image.get(dirname(path)) === undefined && dirname(path) !== from))
      continue
    if (content === null) mkdirSync(place, { mode: 0o700 })
    else writeFileSync(place, content, { mode: 0o600 })
  }
}
