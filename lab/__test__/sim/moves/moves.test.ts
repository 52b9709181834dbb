/** The simulator's moves and the docs name the same attacks. */
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { MOVES } from '../../../sim/moves/index.ts'
import { LEFT_OUT, ROWS_LEFT_OUT } from '../../../sim/moves/left-out.ts'

const ROOT = resolve(import.meta.dirname, '../../../..')
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')

/** As `__test__/attacks/documented.test.ts` reads the pages. */
const named = new Set(
  ['wire', 'rules', 'rationale'].flatMap((page) => {
    const text = read(`docs/protocol/${page}.md`)
      .replaceAll(/^```[\s\S]*?^```/gm, '')
      .replaceAll(/`[^`\n]*`/g, '')
    return [...text.matchAll(/\[([^\][]+)\](?!\()/g)].map(([, name]) => name!.replaceAll(/\s+/g, ' '))
  })
)
const threats = read('docs/threat-model.md')
const rows = [
  ...threats
    .slice(threats.indexOf('| attack | before'), threats.indexOf('**What the simulator shows.**'))
    .matchAll(/^\| ([^|]+) \|/gm)
]
  .map(([, row]) => row!.trim())
  .slice(1)

describe('the moves of the simulator', () => {
  it('have ids of their own, in order', () => {
    const ids = MOVES.map(({ id }) => id)
    expect(ids.length).toBeGreaterThan(50)
    expect(ids).toEqual([...new Set(ids)].sort())
  })

  it('and those left out are all attacks that docs/protocol names', () => {
    const tried = MOVES.flatMap(({ attacks }) => attacks)
    expect([...new Set([...tried, ...Object.keys(LEFT_OUT)])].sort()).toEqual([...named].sort())
    expect(tried.filter((name) => name in LEFT_OUT)).toEqual([])
  })

  it('and those left out are all rows of the attack table', () => {
    const tried = MOVES.flatMap((move) => move.rows ?? [])
    expect(rows.length).toBeGreaterThan(10)
    expect([...tried, ...Object.keys(ROWS_LEFT_OUT)].sort()).toEqual([...rows].sort())
  })
})
