/**
 * `https setup` on the stores of a machine: certutil, update-ca-certificates and their files, in a mount namespace. Each
 * step begins with what the one before left.
 */
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { needPackages, programOf } from '../../scripts/packages.ts'
import { dataPaths } from '../../src/data-directory/paths.ts'
import { readAuthorityCertificate } from '../../src/data-directory/https-authority.ts'
import { seedToWords } from '../../src/protocol/crypto/keys.ts'

const CLI = join(import.meta.dirname, '../../src/cli/main.ts')
/** nobody. Only root can give files to another user. */
const STRANGER = 65_534
const isRoot = process.getuid?.() === 0
const LOCAL = '/usr/local/share/ca-certificates'
const BUNDLE = '/etc/ssl/certs/ca-certificates.crt'

/** Of the namespace: a directory takes the place of each of these. */
const OWN_STORES = `for path in /etc/ssl ${LOCAL}
do mkdir -p "$1$path"; cp -a "$path/." "$1$path"; mount --bind "$1$path" "$path" || exit; done
rm -f ${LOCAL}/*; update-ca-certificates --fresh >/dev/null 2>&1; shift`

let root: string
let home: string
let data: string
let broken: string
beforeEach(() => {
  needPackages(['ca-certificates', 'libnss3-tools', 'openssl'])
  root = mkdtempSync(join(tmpdir(), 'chronym-https-setup-'))
  // A second user reads below it.
  chmodSync(root, 0o755)
  ;[home, data, broken] = ['home', 'data', 'broken'].map((name) => join(root, name)) as [string, string, string]
  mkdirSync(home)
  makeDirectory(data, 7)
  mkdirSync(broken)
  writeFileSync(join(broken, 'update-ca-certificates'), '#!/bin/sh\necho "no space" >&2; exit 1\n', { mode: 0o755 })
})
afterEach(() => rmSync(root, { recursive: true }))

function makeDirectory(path: string, seed: number): void {
  mkdirSync(path, { mode: 0o700 })
  writeFileSync(join(path, 'seed-words'), `${seedToWords(new Uint8Array(32).fill(seed))}\n`, { mode: 0o600 })
}

/** Lines of a shell in one namespace. What they print, each by itself. */
function inNamespace(...lines: string[]): string[] {
  const script = [OWN_STORES, ...lines.map((line) => `{ ${line}\n} 2>&1; echo "==="`)].join('\n')
  const args = [...(isRoot ? [] : ['--map-root-user']), '--mount', 'sh', '-c', script, 'sh', root]
  const { stdout, stderr, status } = spawnSync('unshare', args, {
    encoding: 'utf8',
    cwd: root,
    env: { PATH: process.env['PATH'], HOME: home }
  })
  expect(status, stderr + stdout).toBe(0)
  return stdout.split('===\n').slice(0, -1)
}

const chronym = (...words: string[]): string =>
  `${process.execPath} --disable-warning=ExperimentalWarning ${CLI} --no-json --data-dir ${data} https setup ${words.join(' ')}; echo "exit $?"`
const bundled = `openssl crl2pkcs7 -nocrl -certfile ${BUNDLE} | openssl pkcs7 -print_certs -noout | grep -c 'subject.*Chronym names'`
const withBroken = (command: string): string => `PATH=${broken}:$PATH; ${command}`

it("repeats until the system's bundle has it, and until it has it no longer", () => {
  const [failed, none, added, some, kept, files, stays, still, again, gone] = inNamespace(
    `(${withBroken(chronym('--system', '--yes'))})`,
    bundled,
    chronym('--system', '--yes'),
    bundled,
    chronym('--system', '--yes'),
    `ls ${LOCAL}`,
    `(${withBroken(chronym('--undo'))})`,
    `${bundled}; ls ${LOCAL}`,
    chronym('--undo'),
    bundled
  )
  expect(failed).toMatch(/failed \/usr\/local.*does not have it after update-ca-certificates: no space\n.*\n?exit 6/u)
  expect(none).toBe('0\n')
  expect(added).toMatch(/added +\/usr\/local\/share\/ca-certificates\/chronym-[0-9a-f]{64}\.crt[\s\S]*exit 0/u)
  expect(some).toBe('1\n')
  expect(kept).toMatch(/kept +\/usr\/local[\s\S]*exit 0/u)
  expect(files).toMatch(/^chronym-[0-9a-f]{64}\.crt\n$/u)
  expect(stays).toMatch(/failed \/usr\/local.*still has it after update-ca-certificates: no space\n.*\n?exit 6/u)
  expect(still).toBe('1\n')
  expect(again).toMatch(/removed +\/etc\/ssl\/certs\/ca-certificates\.crt[\s\S]*exit 0/u)
  expect(gone).toBe('0\n')
  expect(readdirSync(data)).not.toContain('https-authority.pem')
})

it("touches no file of the system's store but its own, and finds the one of an earlier version", () => {
  const made = inNamespace(chronym('--yes'))
  expect(made[0]).toContain('exit 0')
  const digits = /\(([0-9a-f]{8})\)/u.exec(made[0]!)![1]!
  const former = `${LOCAL}/chronym-names-on-this-machine-${digits}.crt`
  const [foreign, , undone, left] = inNamespace(
    // Another authority has the name that version gave it.
    `openssl req -x509 -newkey rsa:2048 -nodes -keyout /dev/null -subj /CN=x -out ${former} 2>/dev/null; ${chronym('--system', '--yes')}`,
    chronym('--undo'),
    `ls ${LOCAL}`,
    'true'
  )
  expect(foreign).toMatch(/added +\/usr\/local\/share\/ca-certificates\/chronym-[0-9a-f]{64}/u)
  expect(undone).toBe(`chronym-names-on-this-machine-${digits}.crt\n`)
  expect(left).toBe('')
  const again = inNamespace(
    chronym('--yes'),
    `for f in ${data}/https-authority.pem; do openssl x509 -in $f -noout -subject; done`
  )
  const now = /\(([0-9a-f]{8})\)/u.exec(again[1]!)![1]!
  const [kept, removed, empty] = inNamespace(
    `cp ${data}/https-authority.pem ${LOCAL}/chronym-names-on-this-machine-${now}.crt; update-ca-certificates >/dev/null 2>&1; ${chronym('--system', '--yes')}`,
    chronym('--undo'),
    `ls ${LOCAL}; ${bundled}`
  )
  expect(kept).toMatch(new RegExp(`kept +${LOCAL}/chronym-names-on-this-machine-${now}`, 'u'))
  expect(removed).toMatch(new RegExp(`removed +${LOCAL}/chronym-names-on-this-machine-${now}`, 'u'))
  expect(empty).toBe('0\n')
})

it('looks at the trust of a store, not at the name in it', () => {
  const profile = join(home, '.mozilla/firefox/a')
  mkdirSync(profile, { recursive: true })
  writeFileSync(join(root, 'password'), 'secret\n')
  const certutil = programOf('libnss3-tools')
  const list = `${certutil} -L -d sql:${profile} | grep Chronym | awk '{ print $NF }'`
  const give = String.raw`sed -n 's/.*this command: \(.*\)/\1 -f password/p' said | sh`
  const [first, second, , flags, third, undone] = inNamespace(
    `${certutil} -N -d sql:${profile} -f password; ${chronym('--yes')}`,
    `{ ${chronym('--yes')}; } | tee said`,
    give,
    list,
    chronym('--yes'),
    chronym('--undo')
  )
  for (const said of [first, second])
    expect(said).toMatch(/failed .*\/firefox\/a: it has a password of its own.*certutil -M[\s\S]*exit 6/u)
  expect(flags).toBe('C,,\n')
  expect(third).toMatch(/kept +.*\/firefox\/a\n/u)
  expect(undone).toMatch(/removed +.*\/firefox\/a\n/u)
  // Another certificate that has the name.
  const made = inNamespace(chronym('--yes'), `openssl x509 -in ${data}/https-authority.pem -noout -subject`)
  const name = /Chronym names on this machine \([0-9a-f]{8}\)/u.exec(made[1]!)![0]
  const other = `openssl req -x509 -newkey rsa:2048 -nodes -keyout /dev/null -subj "/CN=other" 2>/dev/null`
  const [taken, spared, there] = inNamespace(
    `${certutil} -D -d sql:${profile} -f password -n "${name}"; ${other} | ${certutil} -A -d sql:${profile} -f password -n "${name}" -t C,, -a; ${chronym('--yes')}`,
    chronym('--undo'),
    list
  )
  expect(taken).toMatch(/failed .*\/firefox\/a: it has another certificate that is called/u)
  expect(spared).toMatch(/failed .*\/firefox\/a: it has another certificate that is called/u)
  expect(there).toBe('C,,\n')
})

it.runIf(isRoot)('makes no stranger an authority of the machine, nor takes one away for a stranger', () => {
  const own = join(root, 'own')
  makeDirectory(own, 8)
  inNamespace(chronym('--yes').replaceAll(data, own))
  const path = join(data, 'https-authority.pem')
  const give = (...files: string[]): void => {
    for (const file of files) chownSync(file, STRANGER, STRANGER)
  }
  give(data, join(data, 'seed-words'))
  const sudo = `${chronym('--system', '--yes')}; ${chronym('--undo')}; ls ${LOCAL}; ${bundled}`
  /** The stores of root have its own authority; what lies in the stranger's directory changes nothing. */
  const tried = (): string =>
    inNamespace(`${chronym('--system', '--yes').replaceAll(data, own)}; ls ${LOCAL}`, sudo, `ls ${LOCAL}; ${bundled}`)
      .slice(1)
      .join('')
  const ownFile = /chronym-[0-9a-f]{64}\.crt/u
  expect(tried()).toMatch(/Run this as that user first/u)
  // Root's own: by a link, and as a copy.
  for (const name of ['https-authority.pem', 'https-key']) symlinkSync(join(own, name), join(data, name))
  expect(tried()).toMatch(/is a link[\s\S]*chronym-[0-9a-f]{64}\.crt\n1\n$/u)
  for (const name of ['https-authority.pem', 'https-key']) {
    rmSync(join(data, name))
    cpSync(join(own, name), join(data, name))
    chmodSync(join(data, name), 0o600)
    give(join(data, name))
  }
  expect(tried()).toMatch(/belongs to another seed/u)
  // One that vouches for everything.
  const made = [
    'req',
    '-x509',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:P-256',
    '-nodes',
    '-subj',
    '/CN=Corporate root'
  ]
  const key = join(root, 'key')
  expect(spawnSync(programOf('openssl'), [...made, '-keyout', key, '-out', path]).status).toBe(0)
  give(path)
  const said = tried()
  expect(said).toMatch(/is no authority that this program made[\s\S]*Nothing was changed/u)
  expect(said.match(ownFile)).not.toBeNull()
  expect(readFileSync(path, 'utf8')).toContain('CERTIFICATE')
  expect(readAuthorityCertificate(dataPaths(own))?.suffix).toBe('chronym')
})
