/** Holds docs/dependencies.md against package.json, each crate's Cargo.toml, the workflows and what they ignore. */
import { globSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parse } from 'smol-toml'
import { describe, expect, it } from 'vitest'
import { sqliteLock } from '../scripts/package/sqlite-lock.mjs'

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

describe('a finding in a dependency', () => {
  const workflows = globSync('.github/workflows/*.yml', { cwd: ROOT })
  const DAY_MS = 86_400_000

  it('is looked for in every lock file', () => {
    const locked = globSync(['**/Cargo.lock', '**/package-lock.json', '.ci/requirements.txt'], {
      cwd: ROOT,
      exclude: (path) => /node_modules|target|\.toolchain/.test(path)
    })
    const scanned = [...read('.github/workflows/audit.yml').matchAll(/--lockfile=(\S+)/g)].map(([, file]) => file)
    expect(scanned.toSorted()).toEqual(locked.toSorted())
  })

  it('stops a release', () => {
    const release = read('.github/workflows/release.yml')
    expect(release).toMatch(/^ {2}audit:\n {4}uses: \.\/\.github\/workflows\/audit\.yml$/m)
    expect(release).toMatch(/^ {2}publish:\n {4}needs: \[.*\baudit\b.*\]$/m)
    expect(read('.github/workflows/audit.yml')).not.toContain('continue-on-error')
  })

  it.each(workflows)('is not let in by an action of %s that its owner can change', (file) => {
    const used = [...read(file).matchAll(/^ *(?:- )?uses: (?!\.\/)(.+)$/gm)].map(([, action]) => action!)
    expect(used.filter((action) => !/@[0-9a-f]{40} # v[\d.]+$/.test(action))).toEqual([])
  })

  it.each(workflows)('is not let in by a container of %s whose tag moves, nor by a token that could leak', (file) => {
    const images = [...read(file).matchAll(/\bimage: *'?([^\s'}]+)/g)].map(([, image]) => image!)
    expect(images.filter((image) => !/@sha256:[0-9a-f]{64}$/.test(image))).toEqual([])
    expect(read(file)).not.toMatch(/\bsecrets\.|_authToken/)
  })

  it('is not let in by a script that is run as it comes from the network', () => {
    const scripts = globSync(['.github/**/*.{yml,sh}', '.ci/*', 'scripts/*.mjs', 'scripts/package/*.mjs'], {
      cwd: ROOT
    })
    const fetching = scripts.filter((file) => /\b(?:curl|wget)\b/.test(read(file)))
    // The cure that set-up prints where Rust is missing, word by word as rustup.rs has it.
    expect(fetching.toSorted()).toEqual(['.github/build-in-container.sh', 'scripts/toolchain.mjs'])
    expect(read('.github/build-in-container.sh')).toMatch(/\ncurl [^|]*\necho "\$hash [^\n]* \| sha256sum -c -\n/)
    expect(read('.github/build-in-container.sh').match(/\) hash=[0-9a-f]{64} ;;/g)).toHaveLength(4)
    const installing = scripts.filter((file) => /'npm', \[?'?(?:install|i)\b/.test(read(file)))
    expect(installing).toEqual([])
  })

  it('is not let in by a Node or a SQLite other than the one of the lock file', () => {
    const locks = [
      JSON.parse(read('scripts/node/package-lock.json')),
      sqliteLock(JSON.parse(read('package-lock.json')))['package-lock.json']
    ] as { packages: Record<string, { integrity?: string; dependencies?: Record<string, string> }> }[]
    for (const { packages } of locks) {
      const { '': own, ...locked } = packages
      expect(Object.values(locked).filter(({ integrity }) => !/^sha512-.{86}==$/.test(integrity ?? ''))).toEqual([])
      const needed = Object.values({ own: own!, ...locked }).flatMap(({ dependencies = {} }) =>
        Object.keys(dependencies)
      )
      expect(needed.filter((name) => !(`node_modules/${name}` in locked))).toEqual([])
    }
  })

  it('is ignored only with a reason, until a day at most 90 days away', () => {
    const { IgnoredVulns = [] } = parse(read('osv-scanner.toml')) as { IgnoredVulns?: Record<string, unknown>[] }
    const { ignore = [] } = (parse(read('deny.toml')) as { advisories: { ignore?: Record<string, unknown>[] } })
      .advisories
    const entries = [
      ...IgnoredVulns.map(({ id, reason, ignoreUntil }) => ({ id, reason, until: ignoreUntil })),
      ...ignore.map(({ id, reason }) => ({ id, reason, until: /\d{4}-\d\d-\d\d/.exec(String(reason))?.[0] }))
    ]
    const careless = entries.filter(({ reason, until }) => {
      const left = until === undefined ? NaN : new Date(until as string).getTime() - Date.now()
      return typeof reason !== 'string' || reason.length < 20 || !(left < 90 * DAY_MS)
    })
    expect(careless).toEqual([])
  })
})
