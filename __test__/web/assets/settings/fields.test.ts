import { parse as parseToml } from 'smol-toml'
import { describe, expect, it } from 'vitest'
import { checkConfig } from '../../../../src/config/config.ts'
import { createConfigService } from '../../../../src/config/service.ts'
import * as fields from '../../../../src/web/assets/settings/fields.ts'

const nothing = { file: {}, environment: {}, flags: {} }
const config = checkConfig({ network: 'local' }, 'test')
const all = createConfigService({
  initial: config,
  started: config,
  overrides: {},
  sources: nothing,
  save: () => undefined,
  apply: () => Promise.resolve()
}).fields()
const at = (name: string) => all.find(({ field }) => field === name)!

describe('the fields of the configuration', () => {
  it('are each in one section, those of no section first', () => {
    const sections = fields.sectionsOf(all)
    expect(sections.flatMap((section) => section.fields.map(({ field }) => field)).toSorted()).toEqual(
      all.map(({ field }) => field).toSorted()
    )
    expect(sections[0]!.fields.map(({ field }) => field)).toEqual(['network', 'data_dir', 'mode', 'auto_renew'])
    const unknown = { ...at('log.level'), field: 'later.thing' }
    expect(fields.sectionsOf([unknown])).toEqual([{ id: 'later', title: 'later', fields: [unknown] }])
  })

  it('are found by words of their help too', () => {
    expect(fields.found(all, 'peers listen').map(({ field }) => field)).toEqual(['p2p.listen'])
    expect(fields.found(all, 'CHRONYM_PORT').map(({ field }) => field)).toEqual(['api.port'])
    expect(fields.found(all, ' ')).toHaveLength(all.length)
  })

  it('have the control of their kind', () => {
    expect(
      ['mode', 'auto_renew', 'vdf.queue', 'api.allowed_hosts', 'data_dir'].map((name) => fields.controlOf(at(name)))
    ).toEqual(['select', 'switch', 'number', 'list', 'text'])
  })

  it('keep their values through the editor', () => {
    for (const field of all) expect(fields.parseEdit(field, fields.editText(field.value))).toEqual(field.value)
    for (const text of ['ten', ' '])
      expect(() => fields.parseEdit({ kind: 'number' }, text)).toThrow('must be a number')
    expect(fields.parseEdit({ kind: 'list' }, ' a, b\n\nc ')).toEqual(['a', 'b', 'c'])
  })

  it('say how they change elsewhere: by lines that config.toml takes', () => {
    for (const field of all) {
      expect(parseToml(fields.tomlOf(field))).toEqual(fields.patchOf(field.field, field.value))
    }
    expect(fields.tomlOf(at('api.port'))).toBe('[api]\nport = 7468')
  })

  it('take the error that the daemon names for them', () => {
    const errors = [{ path: 'vdf/queue', message: 'too small' }]
    expect(fields.errorOf('vdf.queue', errors)).toBe('too small')
    expect(fields.errorOf('vdf', errors)).toBe('too small')
    expect(fields.errorOf('vdf.max_tasks', errors)).toBeUndefined()
  })

  it('say what is empty', () => {
    expect([[], '', true, ['a', 'b'], 3].map(fields.shownText)).toEqual(['none', 'not set', 'on', 'a, b', '3'])
  })
})

it('asks before a node leaves the network, and before names are renewed no more', () => {
  expect(fields.changeQuestion('mode', 'full', 'offline')).toMatchObject({
    title: 'Set mode to offline?',
    lines: [expect.stringContaining('leaves the network')]
  })
  expect(fields.changeQuestion('mode', 'full', 'light')).not.toBeNull()
  expect(fields.changeQuestion('auto_renew', true, false)?.title).toBe('Set auto_renew to off?')
})

it('asks nothing where nobody is harmed', () => {
  expect(fields.changeQuestion('mode', 'offline', 'full')).toBeNull()
  expect(fields.changeQuestion('mode', 'offline', 'offline')).toBeNull()
  expect(fields.changeQuestion('vdf.queue', 10, 20)).toBeNull()
})
