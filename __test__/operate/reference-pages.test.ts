/** Pages that list what the sources have. */
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { availableParallelism } from 'node:os'
import { describe, expect, it } from 'vitest'
import { EMPTY_MEANS, leafOf, MACHINE_DEFAULTS, renderConfiguration } from '../../scripts/documents/configuration.ts'
import { checkConfig, CONFIG_FIELDS } from '../../src/config/config.ts'
import { leafPaths, readPath } from '../../src/config/dotted-path.ts'
import { builtInProfiles } from '../../src/protocol/profile/built-in.ts'
import { parseRecordData, RECORD_TYPES, type RecordType } from '../../src/protocol/zone/record-data.ts'
import { DEFAULT_TTL, MAX_TTL, MIN_TTL } from '../../src/protocol/zone/zone.ts'

const DOCS = resolve(import.meta.dirname, '../../docs')
const read = (file: string): string => readFileSync(join(DOCS, file), 'utf8')

describe('docs/reference/configuration.md', () => {
  const page = renderConfiguration()

  it('is what the schema gives: node scripts/generate-docs.mjs', () => {
    expect(read('reference/configuration.md')).toBe(page)
  })

  it('has a row for every field of the schema', () => {
    const fields = leafPaths(checkConfig({}, 'test'))
    expect(CONFIG_FIELDS.map(({ path }) => path)).toEqual(fields)
    for (const field of fields) expect(page.split(`\n| \`${field}\` |`), field).toHaveLength(2)
  })

  it('has the default that a daemon takes, and says what an empty one means', () => {
    const defaults = checkConfig({}, 'test')
    for (const { path } of CONFIG_FIELDS) {
      const value = readPath(defaults, path)
      expect(leafOf(path).default, path).toEqual(value)
      const isEmpty = value === '' || (Array.isArray(value) && value.length === 0)
      expect(path in EMPTY_MEANS, path).toBe(isEmpty)
    }
    const spare = Math.max(1, availableParallelism() - 1)
    const ofMachine = Object.keys(MACHINE_DEFAULTS).map((path) => [path, readPath(defaults, path)])
    expect(Object.fromEntries(ofMachine)).toEqual({
      'vdf.threads': spare,
      'vdf.max_tasks': spare
    })
  })
})

describe('docs/operate/record-types.md', () => {
  const page = read('operate/record-types.md')
  const rows = [...page.matchAll(/^\| `([A-Z]+)` \| [^|]+ \| [^|]+ \| `([^`]+)` \|/gm)].map(
    ([, type, example]) => [type as RecordType, example!] as const
  )

  it('has a row for every type', () => {
    expect(rows.map(([type]) => type)).toEqual([...RECORD_TYPES])
  })

  it.each(rows)('has an example of %s that a zone takes', (type, example) => {
    expect(parseRecordData(type, example, builtInProfiles.main)).toMatchObject({ type })
  })

  it('has the bounds on a TTL', () => {
    expect(page).toContain(`A TTL is ${MIN_TTL} to ${MAX_TTL.toLocaleString('en')} seconds; without one a record has`)
    expect(page).toContain(`has ${DEFAULT_TTL}.`)
  })
})
