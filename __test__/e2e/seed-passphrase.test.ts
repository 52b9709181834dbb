/** Setting and removing the passphrase of a seed, killed at each step. */
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { run } from '../../scripts/program.ts'
import { sealSeed, unsealSeed } from '../../src/backup/sealed-seed.ts'
import { openDataDirectory, sealOwnerSeed, unsealOwnerSeed } from '../../src/data-directory/open.ts'
import { readOwnerSeed, seedForm, writeOwnerSeed } from '../../src/data-directory/seed-files.ts'
import { dataPaths, type DataPaths } from '../../src/data-directory/paths.ts'
import { builtInProfiles } from '../../src/protocol/profile/built-in.ts'
import { Scene } from './processes.ts'

const scene = new Scene()
afterAll(() => scene.end())

const SEED = new Uint8Array(32).fill(7)
const FORMER = 'the former passphrase'
const NEXT = 'the next passphrase'
const { local } = builtInProfiles

let former: string
let next: string
let nextFile: string

beforeAll(async () => {
  former = await sealSeed(SEED, FORMER, { workFactor: 8 })
  next = await sealSeed(SEED, NEXT, { workFactor: 8 })
  nextFile = join(scene.directory(), 'next')
  writeFileSync(nextFile, next)
})

/** A used directory whose seed is in this form, its daemon stopped. */
function directory(form: 'clear' | 'sealed'): DataPaths {
  const paths = dataPaths(scene.directory())
  writeOwnerSeed(paths.seed, SEED)
  openDataDirectory(paths, local).store.close()
  if (form === 'sealed') sealOwnerSeed(paths, local, { seed: SEED, sealed: former, before: undefined })
  // As a crash in the middle of a write leaves it.
  writeFileSync(join(paths.root, '.seed-words.123.tmp'), 'half of the words')
  return paths
}

async function killed(change: 'seal' | 'unseal', paths: DataPaths, steps: number): Promise<void> {
  const child = run('__test__/e2e/kill-at-step.ts', [change, paths.root, String(steps), nextFile])
  const [, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null]
  expect(signal).toBe('SIGKILL')
}

/** Opens with the words in clear, or with one of the passphrases. */
async function seedOf(paths: DataPaths): Promise<Uint8Array> {
  const clear = readOwnerSeed(paths.seed)
  if (clear !== undefined) return clear
  const text = readFileSync(paths.sealedSeed, 'utf8')
  return unsealSeed(text, text === next ? NEXT : FORMER, paths.sealedSeed)
}

describe.each([0, 1, 2, 3, 4])('killed after %i steps', (steps) => {
  it.each([
    ['seal', 'clear'],
    ['seal', 'sealed'],
    ['unseal', 'sealed']
  ] as const)('%s of a seed that was %s leaves one good seed, and can be done again', async (change, form) => {
    const paths = directory(form)
    await killed(change, paths, steps)
    const unsealed = await seedOf(paths)
    expect(unsealed).toEqual(SEED)
    const opened = openDataDirectory(paths, local, { unsealed })
    expect(opened).toMatchObject({ masterSeed: SEED, isSeedNew: false })
    opened.store.close()

    const before = seedForm(paths) === 'sealed' ? readFileSync(paths.sealedSeed, 'utf8') : undefined
    if (change === 'seal') sealOwnerSeed(paths, local, { seed: unsealed, sealed: next, before })
    else unsealOwnerSeed(paths, local, { seed: unsealed, before })
    expect([existsSync(paths.seed), existsSync(paths.sealedSeed)]).toEqual(
      change === 'seal' ? [false, true] : [true, false]
    )
    expect(await seedOf(paths)).toEqual(SEED)
    expect(readdirSync(paths.root).filter((name) => name.endsWith('.tmp'))).toEqual([])
  })
})
