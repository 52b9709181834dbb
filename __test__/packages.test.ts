import { describe, expect, it } from 'vitest'
import { needPackages, type Machine } from '../scripts/packages.ts'

/** Where `installs` says so, an installation adds the programs that apt-get was asked for. */
function machine(found: readonly string[], installs: (attempt: number) => boolean, isRoot = true) {
  const programs = new Set(found)
  const ran: string[] = []
  const fake: Machine = {
    find: (program) => (programs.has(program) ? `/usr/bin/${program}` : undefined),
    run(command, args) {
      const line = [command, ...args].join(' ')
      ran.push(line)
      if (!line.includes(' install ')) return { status: 0, stderr: '' }
      if (!installs(ran.length)) return { status: 100, stderr: 'E: Unable to locate package knot\n' }
      programs.add('knotd')
      return { status: 0, stderr: '' }
    },
    isRoot,
    mayInstall: true
  }
  return { fake, ran }
}

describe('packages that tests need', () => {
  it('are left alone where their programs are there', () => {
    const { fake, ran } = machine(['knotd', 'dig', 'delv'], () => false)
    needPackages(['knot', 'bind9-dnsutils'], fake)
    expect(ran).toEqual([])
  })

  it('are installed, those that are missing, with no question', () => {
    const { fake, ran } = machine(['apt-get', 'delv'], () => true)
    needPackages(['knot', 'bind9-dnsutils'], fake)
    expect(ran).toEqual([
      'env DEBIAN_FRONTEND=noninteractive apt-get -oDPkg::Lock::Timeout=120 install --yes --no-install-recommends knot'
    ])
  })

  it('are asked for a second time after an update, by sudo for those who are not root', () => {
    const { fake, ran } = machine(['apt-get', 'sudo'], (attempt) => attempt > 1, false)
    needPackages(['knot'], fake)
    expect(ran.map((line) => /^sudo -n .* (install|update)/.exec(line)?.[1])).toEqual(['install', 'update', 'install'])
  })

  it('are only unpacked where an installation would take over how the machine resolves names', () => {
    const { fake, ran } = machine(['apt-get'], () => false)
    const command = /Install by hand: \(mkdir -p '.*debian' .* apt-get download systemd-resolved && dpkg-deb -x /
    expect(() => needPackages(['systemd-resolved'], fake)).toThrow(command)
    expect(ran.filter((line) => / install /.test(line))).toEqual([])
    expect(ran[0]).toMatch(/^sh -c mkdir -p .* apt-get download systemd-resolved && dpkg-deb -x systemd-resolved_/)
  })

  it('are not installed where nobody said so', () => {
    const { fake, ran } = machine(['apt-get', 'sudo'], () => true, false)
    expect(() => needPackages(['knot'], { ...fake, mayInstall: false })).toThrow(
      'knotd not found, and nobody said that it may be installed (INSTALL_PACKAGES=1). ' +
        'Install by hand: apt-get install --no-install-recommends knot'
    )
    expect(ran).toEqual([])
  })

  it.each([
    [['apt-get'], true, 'apt-get did not install it: E: Unable to locate package knot'],
    [['apt-get'], false, 'apt-get needs root or sudo'],
    [[], true, 'this machine has no apt-get']
  ] as const)('end with the cause and the command to run by hand (%j, root: %s)', (found, isRoot, cause) => {
    const { fake } = machine(found, () => false, isRoot)
    expect(() => needPackages(['knot'], fake)).toThrow(
      `knotd not found, and ${cause}. Install by hand: apt-get install --no-install-recommends knot`
    )
  })
})
