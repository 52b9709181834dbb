/** What a daemon starts with after changes at run time, on a real store. */
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readStartConfig, saveOverrides } from '../../src/daemon/create-use-cases.ts'
import { keys } from '../../src/store/keys.ts'
import { openStore } from '../../src/store/open.ts'
import type { Store } from '../../src/store/types.ts'
import { temporary } from '../temporary.ts'

let directory: string
let store: Store
let setAside: string[]
let warnings: string[]

beforeEach(() => {
  directory = temporary()
  setAside = []
  warnings = []
  store = openStore(join(directory, 'chronym.db'), { onSetAside: (key) => setAside.push(key) })
})

afterEach(() => {
  store.close()
})

const sources = { file: { log: { level: 'warn' } }, environment: {}, flags: {} } as const
const warn = (warning: string): unknown => warnings.push(warning)
const start = (flags = {}) => readStartConfig(store, directory, { ...sources, flags }, warn)

describe('changes at run time', () => {
  it('win over the file at the next start, and not over flags', () => {
    saveOverrides(store, { log: { level: 'debug' }, auto_renew: false })
    const { overrides, initial, started } = start()
    expect(overrides).toEqual({ log: { level: 'debug' }, auto_renew: false })
    expect([initial.log.level, initial.auto_renew, initial.data_dir]).toEqual(['debug', false, directory])
    expect([started.log.level, started.auto_renew], 'without them').toEqual(['warn', true])
    expect(start({ log: { level: 'error' } }).initial.log.level).toBe('error')
  })

  it('are replaced as a whole', () => {
    saveOverrides(store, { log: { level: 'debug' }, auto_renew: false })
    saveOverrides(store, { auto_renew: false })
    expect(start().overrides).toEqual({ auto_renew: false })
  })

  it.each([
    ['log.level', '"shout"'],
    ['log.level', '{'],
    ['no.such_field', '1']
  ])('[a damaged one: %s = %s] is set aside, and the others count', (path, json) => {
    saveOverrides(store, { auto_renew: false })
    store.put(keys.configOverride(path), new TextEncoder().encode(json))
    expect(start().overrides).toEqual({ auto_renew: false })
    expect(setAside).toEqual([keys.configOverride(path)])
  })

  it('of a setting that was removed since are forgotten with a warning, once', () => {
    saveOverrides(store, { auto_renew: false, vdf: { farm_verify_minutes: 10 } })
    expect(start().overrides).toEqual({ auto_renew: false })
    expect(start().overrides).toEqual({ auto_renew: false })
    expect(warnings).toEqual([expect.stringContaining('vdf.farm_verify_minutes was changed at run time')])
    expect(setAside, 'as nothing damaged').toEqual([])
  })
})
