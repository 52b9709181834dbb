/** Fields of the configuration that were changed at run time, in the store, one value a field. */
import {
  checkConfig,
  leafPaths,
  mergeConfig,
  readPath,
  setPath,
  type Config,
  type PartialConfig
} from '../config/config.ts'
import type { StartSources } from '../config/sources.ts'
import { keys, lastPart, prefixes } from '../store/keys.ts'
import { readOrSetAside } from '../store/stored-shapes.ts'
import type { Store } from '../store/types.ts'

export interface StartConfig {
  readonly overrides: PartialConfig
  readonly initial: Config
  readonly started: Config
}

/** The configuration that a daemon starts with. Throws SVC-CFG-001. */
export function readStartConfig(store: Store, dataDir: string, sources: StartSources): StartConfig {
  const { file, environment, flags } = sources
  const overrides = loadOverrides(store)
  const initial = checkConfig(
    { ...mergeConfig(file, overrides, environment, flags), data_dir: dataDir },
    'configuration'
  )
  const started = checkConfig({ ...mergeConfig(file, environment, flags), data_dir: dataDir }, 'configuration')
  return { overrides, initial, started }
}

function loadOverrides(store: Store): PartialConfig {
  const overrides: PartialConfig = {}
  for (const [key, bytes] of store.list(prefixes.configOverrides)) {
    const override = readOrSetAside(store, key, bytes, (json) => overrideOf(lastPart(key), json))
    if (override !== undefined) setPath(overrides, lastPart(key), override.value)
  }
  return overrides
}

/** Throws for an unknown field or an invalid value. */
function overrideOf(path: string, json: Uint8Array): { readonly value: unknown } {
  const value = JSON.parse(new TextDecoder().decode(json)) as unknown
  const alone: PartialConfig = {}
  setPath(alone, path, value)
  checkConfig(alone, 'a field changed at run time')
  return { value }
}

/** Replaces all of them. Throws StoreError. */
export function saveOverrides(store: Store, overrides: PartialConfig): void {
  const value = (path: string) => new TextEncoder().encode(JSON.stringify(readPath(overrides, path)))
  const kept = new Set(leafPaths(overrides).map((path) => keys.configOverride(path)))
  const unset = [...store.list(prefixes.configOverrides)].flatMap(([key]) => (kept.has(key) ? [] : [{ delete: key }]))
  store.batch([
    ...unset,
    ...leafPaths(overrides).map((path) => ({ put: keys.configOverride(path), value: value(path) }))
  ])
}
