import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import ts from 'typescript'
import { expect, it } from 'vitest'
import { slowFiles } from '../scripts/processor-times.mjs'
import { FULL_FILES, FULL_PLACES, isQuick, SHARING_PLACES } from './tiers.ts'

const ROOT = resolve(import.meta.dirname, '..')
const tests = globSync('{__test__,lab/__test__}/**/*.test.ts', { cwd: ROOT }).map((file) => file.replaceAll('\\', '/'))
const quick = tests.filter(isQuick)

const importsOf = new Map<string, readonly string[]>()

function imports(file: string): readonly string[] {
  const known = importsOf.get(file)
  if (known !== undefined) return known
  const { importedFiles } = ts.preProcessFile(readFileSync(join(ROOT, file), 'utf8'), true, true)
  const found = importedFiles
    .filter(({ fileName }) => fileName.startsWith('.') && /\.m?[jt]s$/.test(fileName))
    .map(({ fileName }) => relative(ROOT, resolve(ROOT, dirname(file), fileName)).replaceAll('\\', '/'))
  importsOf.set(file, found)
  return found
}

/** What a file imports, and what that imports. */
function reached(file: string): ReadonlySet<string> {
  const met = new Set(imports(file))
  for (const each of met) for (const imported of imports(each)) met.add(imported)
  return met
}

it('the full tier is a list of places and files that exist, each once', () => {
  expect(FULL_FILES.filter((file) => !tests.includes(file))).toEqual([])
  expect(FULL_FILES).toEqual([...new Set(FULL_FILES)].sort())
  expect(FULL_FILES.filter((file) => FULL_PLACES.some((place) => file.startsWith(place)))).toEqual([])
  for (const place of FULL_PLACES)
    expect(
      tests.some((file) => file.startsWith(place)),
      place
    ).toBe(true)
  expect(quick.length).toBeGreaterThan(tests.length / 2)
})

it('quick tests need no package of the system, no namespace, no browser and nothing of the lab', () => {
  /** It tries the installer on a machine that is not there. */
  const others = quick.filter((file) => file !== '__test__/packages.test.ts')
  const foreign = /^(?:lab\/|scripts\/packages\.ts|__test__\/e2e\/(?:browser|firefox|network\/namespaces)\.ts)/
  const found = others.flatMap((file) =>
    [...reached(file)].filter((imported) => foreign.test(imported)).map((imported) => `${file} reaches ${imported}`)
  )
  expect(found).toEqual([])
  expect([...reached('__test__/e2e/dns.test.ts')]).toContain('scripts/packages.ts')
})

it('tests that share a process leave no module, global, variable or timer of it changed', () => {
  const sharing = quick.filter((file) => SHARING_PLACES.some((place) => file.startsWith(place)))
  const changes =
    /\bvi\.(?:mock|doMock|stub\w+)\(|\bvi\.spyOn\((?:process|console|globalThis|Date|Math)\b|\bprocess\.(?:env[\w.[\]']* =|on\(|once\(|chdir\()|\bglobalThis\.\w+ =/
  const found = sharing.flatMap((file) =>
    [file, ...reached(file)]
      .filter((each) => each.startsWith('__test__/'))
      .map((each) => ({ each, text: readFileSync(join(ROOT, each), 'utf8') }))
      .filter(({ text }) => changes.test(text) || (text.includes('useFakeTimers(') && !text.includes('useRealTimers(')))
      .map(({ each }) => `${file}: ${each}`)
  )
  expect(found).toEqual([])
  // Vitest calls it for the first file alone. __test__/remove-temporary.ts does the one that is there for each.
  const hooked = sharing
    .flatMap((file) => [...reached(file)].map((helper) => ({ file, helper })))
    .filter(({ helper }) => helper.startsWith('__test__/') && helper !== '__test__/temporary.ts')
    .filter(({ helper }) => /^(?:before|after)(?:All|Each)\(/m.test(readFileSync(join(ROOT, helper), 'utf8')))
    .map(({ file, helper }) => `${file} reaches a hook of ${helper}`)
  expect(hooked).toEqual([])
  expect(sharing.length).toBeGreaterThan(50)
})

it('quick tests hold what a user would try first', () => {
  for (const file of [
    'daemon/walk',
    'architecture',
    'protocol/vectors',
    'properties/records',
    'api/serve',
    'web/index'
  ])
    expect(quick).toContain(`__test__/${file}.test.ts`)
})

it('a file is slow by the median of its runs', () => {
  const times = new Map([
    ['b.test.ts', [9, 3.5, 3.1]],
    ['a.test.ts', [4]],
    ['once-slow.test.ts', [9, 1, 2]],
    ['at-the-limit.test.ts', [3]]
  ])
  expect(slowFiles(times, 3)).toEqual(['a.test.ts', 'b.test.ts'])
})
