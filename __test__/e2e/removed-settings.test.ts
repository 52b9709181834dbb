/** A daemon whose files and flags are of an earlier release. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { end, firstLine, run, type DaemonSummary } from '../../scripts/program.ts'
import { REMOVED_SETTINGS } from '../../src/config/removed.ts'
import { Scene } from './processes.ts'

let scene: Scene

beforeEach(() => {
  scene = new Scene()
})

afterEach(() => scene.end())

const sections = (): string =>
  Object.entries(Object.groupBy(REMOVED_SETTINGS, ({ path }) => path.split('.')[0]!))
    .map(
      ([section, settings]) => `[${section}]\n${settings!.map(({ path }) => `${path.split('.')[1]} = 10`).join('\n')}`
    )
    .join('\n')

it.each([
  ['chronymd', 'src/daemon/main.ts', []],
  ['chronym daemon', 'src/cli/main.ts', ['daemon']]
])('%s starts with removed settings in file, environment and flags, and logs each', async (_name, script, words) => {
  const directory = scene.directory()
  const config = join(scene.directory(), 'config.toml')
  writeFileSync(config, sections())
  const flags = REMOVED_SETTINGS.map(({ flag }) => `--${flag}=10`)
  const environment = Object.fromEntries(REMOVED_SETTINGS.map(({ env }) => [env, '10']))
  const own = ['--network', 'local', '--mode', 'offline', '--dns-enabled=false', '--port', '0', '--json']
  const args = ['--data-dir', directory, '--config', config, ...own, ...flags]
  const child = scene.child(run(script, [...words, ...args], { environment }))
  let log = ''
  child.stderr!.setEncoding('utf8').on('data', (chunk: string) => (log += chunk))
  const { data_dir: dataDir } = await firstLine<DaemonSummary>(child)
  expect(dataDir).toBe(directory)
  expect(await end(child, 'SIGTERM')).toBe(0)
  for (const { path, flag, env } of REMOVED_SETTINGS)
    for (const where of [config, `environment variable ${env}`, `flag --${flag}`])
      expect(log).toContain(`${where}: ${path} has no effect`)
})
