/** Settings that earlier releases had: what still has one, and the daemon that starts all the same. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  checkConfig,
  CONFIG_FIELDS,
  configFromEnvironment,
  configFromFile,
  configFromFlags
} from '../../src/config/config.ts'
import { REMOVED_SETTINGS } from '../../src/config/removed.ts'
import { cli } from '../cli/harness.ts'
import { temporary } from '../temporary.ts'

const OLD = REMOVED_SETTINGS.map(({ path, flag, env }) => [path, flag, env] as const)

let file: string
beforeEach(() => {
  file = join(temporary(), 'config.toml')
})

const toml = (path: string): string => {
  const [section, field] = path.split('.')
  return `[${section}]\n${field} = 10\n`
}

describe.each(OLD)('the removed setting %s', (path, flag, env) => {
  it('is no setting any more', () => {
    const taken = CONFIG_FIELDS.flatMap((field) => [field.path, field.flag, field.env])
    expect([path, flag, env].filter((name) => taken.includes(name))).toEqual([])
  })

  it('leaves the file that has it as if it were not there', () => {
    writeFileSync(file, `mode = "light"\n${toml(path)}`)
    const warnings: string[] = []
    const config = configFromFile(file, true, (warning) => warnings.push(warning))
    expect(config).toEqual({ mode: 'light' })
    expect(warnings).toEqual([expect.stringContaining(`${file}: ${path} has no effect, the setting was removed: `)])
    expect(configFromFile(file, true), 'nor does anyone else have to listen').toEqual(config)
  })

  it('is told of a variable and of a flag, whatever they say', () => {
    const warnings: string[] = []
    const warn = (warning: string): unknown => warnings.push(warning)
    expect(configFromEnvironment({ [env]: 'much' }, warn)).toEqual({})
    expect(configFromFlags({ [flag]: ['10', 'much'] }, warn)).toEqual({})
    expect(warnings).toEqual([
      expect.stringContaining(`environment variable ${env}: ${path} has no effect`),
      expect.stringContaining(`flag --${flag}: ${path} has no effect`)
    ])
  })

  it('is refused where it is set now, with what holds in its place', () => {
    const [section, field] = path.split('.')
    expect(() => checkConfig({ [section!]: { [field!]: 10 } }, 'nothing was changed')).toThrow(
      `nothing was changed: ${path}: was removed: `
    )
  })

  it('makes no file wrong for `config check`, which warns', async () => {
    writeFileSync(file, toml(path))
    const { exitCode, stdout, stderr } = await cli(['config', 'check', file, '--no-json'])
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: `valid: ${file}\n` })
    expect(stderr).toContain(`${path} has no effect`)
    const json = await cli(['config', 'check', file, '--json'])
    expect(JSON.parse(json.stdout)).toMatchObject({ warnings: [expect.stringContaining(path)] })
  })
})

it('keeps the other settings of its section, and refuses unknown ones beside it', () => {
  writeFileSync(file, '[vdf]\nfarm_verify_minutes = 10\nqueue = 7\n')
  expect(configFromFile(file, true)).toEqual({ vdf: { queue: 7 } })
  writeFileSync(file, '[vdf]\nfarm_verify_minutes = 10\nfarm_verify_minute = 10\n')
  expect(() => configFromFile(file, true)).toThrow('vdf.farm_verify_minute: unknown field')
})
