/** How software of others is had: from registries, by name and version, below target/. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { byHand, missingPackages, needPackages, type Package } from '../packages.ts'
import { ROOT } from '../program.ts'

/** `version`: exact, but for Debian's packages: the one it was tried with last. */
export interface Source {
  readonly kind: 'debian' | 'pip' | 'npm' | 'go'
  readonly name: string
  readonly version: string
  /** Packages of npm that it needs, with their versions. */
  readonly beside?: readonly string[]
}

const debian = (name: string, tried: string): Source => ({ kind: 'debian', name, version: tried })

export const SOURCES: Readonly<Record<string, Source>> = {
  dig: debian('bind9-dnsutils', '9.18.49'),
  drill: debian('ldnsutils', '1.8.3'),
  kdig: debian('knot-dnsutils', '3.2.6'),
  dnsviz: debian('dnsviz', '0.9.4'),
  named: debian('bind9', '9.18.49'),
  unbound: debian('unbound', '1.17.1'),
  pdns_recursor: debian('pdns-recursor', '4.8.8'),
  kresd: debian('knot-resolver', '5.6.0'),
  dnsmasq: debian('dnsmasq-base', '2.90'),
  'systemd-resolved': debian('systemd-resolved', '252'),
  ip: debian('iproute2', '6.1'),
  age: debian('age', '1.1.1'),
  pyrage: { kind: 'pip', name: 'pyrage', version: '1.4.0' },
  chiavdf: { kind: 'pip', name: 'chiavdf', version: '1.2.0' },
  'openapi-ts': { kind: 'npm', name: '@hey-api/openapi-ts', version: '0.99.0', beside: ['typescript@5.9.3'] },
  'openapi-typescript': { kind: 'npm', name: 'openapi-typescript', version: '7.13.0' },
  h2spec: { kind: 'go', name: 'github.com/summerwind/h2spec/cmd/h2spec', version: 'v2.2.1+incompatible' }
}

const folderOf = ({ name, version }: Source): string =>
  join(ROOT, 'target/foreign', `${name.split('/').at(-1)!}-${version.replaceAll(/[^\w.-]/gu, '-')}`)

/** The file that shows that it is there. */
function fileOf(source: Source): string {
  const folder = folderOf(source)
  const program = source.name.split('/').at(-1)!
  if (source.kind === 'go') return join(folder, program)
  return source.kind === 'npm' ? join(folder, 'node_modules', source.name, 'package.json') : join(folder, 'installed')
}

/** The folder of programs of a source that is no Debian package. */
export function programs(source: Source): string {
  const folder = folderOf(source)
  if (source.kind === 'go') return folder
  return source.kind === 'npm' ? join(folder, 'node_modules/.bin') : join(folder, 'bin')
}

export function isThere(source: Source): boolean {
  return source.kind === 'debian' ? missingPackages([source.name as Package]).length === 0 : existsSync(fileOf(source))
}

/** The command that installs it, as a line of a shell. */
export function installLine(source: Source): string {
  const { kind, name, version, beside = [] } = source
  const folder = folderOf(source)
  switch (kind) {
    case 'debian':
      return byHand([name as Package])
    case 'pip':
      return `python3 -m venv '${folder}' && '${folder}/bin/pip' install --quiet --disable-pip-version-check ${name}==${version} && touch '${folder}/installed'`
    case 'npm':
      return `npm install --prefix '${folder}' --ignore-scripts --no-audit --no-fund --no-save ${[`${name}@${version}`, ...beside].join(' ')}`
    case 'go':
      return `GOBIN='${folder}' go install ${name}@${version}`
  }
}

/** Throws where it cannot be had. */
export function install(source: Source): void {
  if (source.kind === 'debian') {
    process.env['INSTALL_PACKAGES'] = '1'
    needPackages([source.name as Package])
    return
  }
  const folder = folderOf(source)
  mkdirSync(folder, { recursive: true })
  // The package would take the dependencies of the checkout around it.
  if (source.kind === 'npm') writeFileSync(join(folder, 'package.json'), '{"private":true}\n')
  const { status } = spawnSync('sh', ['-c', installLine(source)], { stdio: 'inherit', cwd: folder })
  if (status !== 0 || !isThere(source)) throw new Error(`${source.name} ${source.version} could not be installed`)
}
