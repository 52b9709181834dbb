/** Holds docs/dependencies.md against package.json and each crate's Cargo.toml. */
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parse } from 'smol-toml'
import { expect, it } from 'vitest'

const ROOT = resolve(import.meta.dirname, '..')
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')

/** `@libp2p/{tcp,noise}, hono` -> each by its name. */
function expand(cell: string): string[] {
  return [...cell.matchAll(/([^\s,{}|]*)\{([^}]*)\}|[^\s,|]+/g)].flatMap(
    ([whole, scope, list]) => list?.split(',').map((name) => `${scope}${name.trim()}`) ?? [whole]
  )
}

const [packages = '', crates = ''] = read('docs/dependencies.md').split('\n## Rust\n')
const named = (part: string): string[] =>
  part
    .split('\n')
    .filter((line) => line.startsWith('| ') && !/^\| (package|crate) /.test(line))
    .flatMap((line) => expand(line.split('|')[1]!))

it('names every npm package with a reason, and no other', () => {
  const { dependencies, devDependencies } = JSON.parse(read('package.json')) as Record<string, Record<string, string>>
  const used = Object.keys({ ...dependencies, ...devDependencies }).map((name) =>
    name.startsWith('@types/') ? '@types/*' : name
  )
  expect(named(packages).toSorted()).toEqual([...new Set(used)].toSorted())
})

type Section = Partial<Record<'dependencies' | 'dev-dependencies' | 'build-dependencies', Record<string, unknown>>>

it('names every crate with a reason, and no other', () => {
  const used = readdirSync(join(ROOT, 'crates')).flatMap((crate) => {
    const manifest = parse(read(`crates/${crate}/Cargo.toml`)) as Section & { target?: Record<string, Section> }
    return [manifest, ...Object.values(manifest.target ?? {})].flatMap((section) =>
      (['dependencies', 'dev-dependencies', 'build-dependencies'] as const).flatMap((kind) =>
        Object.keys(section[kind] ?? {})
      )
    )
  })
  expect(named(crates).toSorted()).toEqual([...new Set(used.filter((name) => !name.startsWith('chronym-')))].toSorted())
})
