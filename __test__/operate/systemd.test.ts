/** The systemd unit of docs/operate/systemd, as systemd itself judges it. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { needPackages, programOf } from '../../scripts/packages.ts'
import { configFromEnvironment, configFromFile } from '../../src/config/config.ts'
import { EXIT_USAGE } from '../../src/daemon/chronymd.ts'
import { CREDENTIAL } from '../../src/daemon/seed-service.ts'
import { temporary } from '../temporary.ts'

const FOLDER = resolve(import.meta.dirname, '../../docs/operate/systemd')
const UNIT = join(FOLDER, 'chronymd.service')
const unit = readFileSync(UNIT, 'utf8')
const directory = temporary()

beforeAll(() => needPackages(['systemd']))

function analyze(...args: string[]): { status: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync(programOf('systemd'), [...args, '--no-pager'], { encoding: 'utf8' })
  return { status, output: stdout + stderr }
}

/** Values of a setting, in order; one that is given twice has two. */
function settings(name: string): string[] {
  return [...unit.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(([, value]) => value!)
}

describe('the unit', () => {
  it('is exposed less than 2.0 of 10', () => {
    const { status, output } = analyze('security', '--offline=true', '--threshold=19', UNIT)
    expect(output).toMatch(/Overall exposure level for chronymd\.service: 1\.\d OK/)
    expect(status).toBe(0)
  })

  it('has no setting that systemd does not know', () => {
    const installed = unit.replace(/^ExecStart=.*$/m, 'ExecStart=/bin/true').replace('man:chronymd(8) ', '')
    const copy = join(directory, 'chronymd.service')
    writeFileSync(copy, installed)
    expect(analyze('verify', copy)).toEqual({ status: 0, output: '' })
    writeFileSync(copy, installed.replace('[Install]', 'ProtectEverything=yes\n[Install]'))
    expect(analyze('verify', copy).output).toContain('ProtectEverything')
  })

  it('gives the passphrase under the name that the daemon looks for, without need', () => {
    // With a path, a missing file would fail the start.
    expect(settings('LoadCredential')).toEqual([CREDENTIAL])
  })

  it('has a watchdog, and does not start again what cannot start', () => {
    expect(settings('Type')).toEqual(['notify'])
    expect(Number(settings('WatchdogSec')[0])).toBeGreaterThanOrEqual(30)
    expect(settings('RestartPreventExitStatus')).toEqual([String(EXIT_USAGE)])
  })

  it('leaves no core, which would hold the seed', () => {
    expect([...settings('LimitCORE'), ...settings('WatchdogSignal')]).toEqual(['0', 'SIGKILL'])
  })

  it('lets threads lower their priority, without which no evaluation starts', () => {
    expect(settings('SystemCallFilter').at(-1)).toBe('setpriority sched_setattr')
  })

  it('names a configuration and a data directory by variables that the daemon knows', () => {
    const environment = Object.fromEntries(
      settings('Environment')[0]!
        .split(' ')
        .map((assignment) => assignment.split('=') as [string, string])
    )
    // The service manager writes its directory in place of %S.
    const given = { ...environment, CHRONYM_DATA_DIR: environment['CHRONYM_DATA_DIR']!.replace('%S', '/var/lib') }
    expect(configFromEnvironment(given)).toEqual({ data_dir: '/var/lib/chronym' })
    expect(environment['CHRONYM_CONFIG']).toBe('%E/chronym/config.toml')
    expect(environment['XDG_CACHE_HOME']).toBe('%C')
    expect(settings('CacheDirectory')).toEqual(['chronym'])
    expect([...settings('StateDirectory'), ...settings('ConfigurationDirectory')]).toEqual(['chronym', 'chronym'])
  })
})

it('the configuration beside it is valid', () => {
  expect(configFromFile(join(FOLDER, 'config.toml'), true)).toMatchObject({ network: 'main' })
})

it('the user beside it is one that systemd-sysusers can make', () => {
  mkdirSync(join(directory, 'etc'))
  const { status, stdout, stderr } = spawnSync(
    'systemd-sysusers',
    ['--dry-run', '--root', directory, join(FOLDER, 'chronym.sysusers.conf')],
    { encoding: 'utf8' }
  )
  expect(stdout + stderr).toContain("Creating user 'chronym' (Chronym daemon)")
  expect(status).toBe(0)
})

describe('the unit of a worker', () => {
  const path = join(FOLDER, 'chronym-worker.service')

  it('is exposed less than 1.5 of 10', () => {
    const { status, output } = analyze('security', '--offline=true', '--threshold=14', path)
    expect(output).toMatch(/Overall exposure level for chronym-worker\.service: [01]\.\d OK/)
    expect(status).toBe(0)
  })

  it('has no setting that systemd does not know', () => {
    const text = readFileSync(path, 'utf8')
    const copy = join(directory, 'chronym-worker.service')
    writeFileSync(copy, text.replace(/^ExecStart=.*$/m, 'ExecStart=/bin/true').replace('man:chronym-worker(1) ', ''))
    expect(analyze('verify', copy)).toEqual({ status: 0, output: '' })
  })
})
