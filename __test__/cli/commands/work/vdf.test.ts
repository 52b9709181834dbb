/** The VDF commands on a few vectors of chiavdf; the whole files are the end-to-end suite's. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { threadCounts } from '../../../../src/cli/vdf/bench.ts'
import { type BenchResult, ReportSchema, rowOf } from '../../../../src/cli/vdf/report.ts'
import { addon } from '../../../../src/native/addon.ts'
import { cli } from '../../harness.ts'
import { temporary } from '../../../temporary.ts'
import { load, type Vector } from '../../../vdf/chiavdf.ts'

const vectors = load()

function find(predicate: (vector: Vector) => boolean): Vector {
  const vector = vectors.find(predicate)
  if (vector === undefined) throw new Error('the vectors hold no such line')
  return vector
}

const small = find(
  ({ kind, disc_bits, iterations }) => kind === '1wesolowski' && disc_bits === 256 && iterations === 1000
)
const nested = find(({ kind, disc_bits, recursion }) => kind === 'nwesolowski' && disc_bits === 256 && recursion === 4)

function question(
  vector: Vector,
  changes: Partial<Record<'seed' | 'discriminant' | 'bits' | 'iterations' | 'x' | 'depth' | 'proof', string>> = {}
): string[] {
  const options = {
    ...(changes.seed === undefined ? { discriminant: vector.discriminant_hex } : {}),
    bits: String(vector.disc_bits),
    iterations: String(vector.iterations),
    x: vector.x_hex,
    depth: String(vector.recursion),
    proof: vector.y_hex + vector.proof_hex,
    ...changes
  }
  return ['vdf', 'verify', ...Object.entries(options).flatMap(([name, value]) => [`--${name}`, value])]
}

describe('vdf verify', () => {
  it.each([
    ['by its discriminant', question(small)],
    ['by its seed', question(small, { seed: small.seed_hex })],
    ['with hexadecimal in capitals', question(small, { proof: (small.y_hex + small.proof_hex).toUpperCase() })],
    ['of several segments', question(nested)]
  ])('ends with 0 for a valid proof %s', async (_title, args) => {
    const { exitCode, stdout } = await cli([...args, '--json'])
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: '{"valid":true}\n' })
  })

  it.each([
    ['one squaring more', { iterations: '1001' }],
    ['no squaring', { iterations: '0' }],
    ['another seed', { seed: 'deadbeef' }],
    ['a discriminant that is not a prime', { discriminant: 'ff'.repeat(32) }],
    ['another depth', { depth: '1' }],
    ['a depth beyond all bounds', { depth: '18446744073709551615' }],
    ['a start that is not a form', { x: '00'.repeat(100) }],
    ['a start of another length', { x: '00' }],
    ['a byte too few', { proof: (small.y_hex + small.proof_hex).slice(2) }],
    ['a byte too many', { proof: `${small.y_hex + small.proof_hex}00` }],
    ['nothing but y', { proof: small.y_hex }],
    ['an empty proof', { proof: '' }],
    ['a proof of zeros', { proof: '00'.repeat(200) }]
  ])('ends with 1 and a reason for %s', async (_title, changes) => {
    const { exitCode, stdout } = await cli([...question(small, changes), '--json'])
    expect(exitCode).toBe(1)
    expect(JSON.parse(stdout)).toEqual({ valid: false, reason: expect.any(String) as string })
  })
})

describe('vdf verify --jsonl', () => {
  const directory = temporary()

  async function check(lines: readonly string[]) {
    const file = join(directory, 'proofs.jsonl')
    writeFileSync(file, lines.join('\n'))
    const { exitCode, stdout } = await cli(['vdf', 'verify', '--jsonl', file])
    return {
      exitCode,
      verdicts: stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown)
    }
  }

  it('ends with 0 when every line is valid', async () => {
    expect(await check([JSON.stringify(small), '', JSON.stringify(nested), ''])).toEqual({
      exitCode: 0,
      verdicts: [
        { line: 1, valid: true },
        { line: 3, valid: true }
      ]
    })
  })

  it('goes on after lines that are wrong or no lines at all', async () => {
    const { exitCode, verdicts } = await check([
      '{"kind":',
      JSON.stringify(small),
      JSON.stringify({ ...small, disc_bits: 0 }),
      JSON.stringify({ ...small, seed_hex: 'deadbeef' }),
      JSON.stringify({ ...small, seed_hex: '00', discriminant_hex: undefined }),
      JSON.stringify({ ...small, seed_hex: '0001', discriminant_hex: undefined }),
      JSON.stringify({ ...small, seed_hex: '00'.repeat(65) }),
      JSON.stringify({ ...small, iterations: 1001 }),
      '{"seed_hex":"00010203","disc_bits":256,"iterations":1,"y_hex":"","proof_hex":"",' +
        '"recursion":18446744073709551615}'
    ])
    expect(exitCode).toBe(1)
    expect(verdicts).toEqual([
      { line: 1, valid: false, error: 'not JSON' },
      { line: 2, valid: true },
      { line: 3, valid: false, reason: expect.stringContaining('8 to 1024 bits') as string },
      { line: 4, valid: false, reason: 'discriminant_hex is not derived from seed_hex' },
      { line: 5, valid: false, error: expect.stringMatching(/2 to 64 bytes here, not 1; not judged/u) as string },
      { line: 6, valid: false, reason: 'the proof does not prove this' },
      { line: 7, valid: false, error: expect.stringContaining('not 65') as string },
      { line: 8, valid: false, reason: 'the proof does not prove this' },
      { line: 9, valid: false, error: expect.stringContaining('recursion') as string }
    ])
  })

  it('judges proofs whose seeds have two or three bytes, as chiavdf does', async () => {
    const short = load('chiavdf-short-seeds.jsonl')
    const lines = [...short, ...short.map((each) => ({ ...each, discriminant_hex: undefined }))]
    expect(await check(lines.map((line) => JSON.stringify(line)))).toEqual({
      exitCode: 0,
      verdicts: lines.map((_, index) => ({ line: index + 1, valid: true }))
    })
  })

  it('reads standard input for "-"', async () => {
    expect((await cli(['vdf', 'verify', '--jsonl', '-'], { stdin: JSON.stringify(small) })).stdout).toBe(
      '{"line":1,"valid":true}\n'
    )
  })

  it('ends with 2 for a file that is missing or empty', async () => {
    expect((await cli(['vdf', 'verify', '--jsonl', join(directory, 'missing')])).exitCode).toBe(2)
    expect((await cli(['vdf', 'verify', '--jsonl', '-'])).exitCode).toBe(2)
  })
})

describe('vdf prove', () => {
  const args = ['vdf', 'prove', '--seed', small.seed_hex, '--bits', '256', '--iterations', '1000']

  it("prints chiavdf's bytes", async () => {
    const { exitCode, stdout } = await cli(args)
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: `${small.y_hex}${small.proof_hex}\n` })
  })

  it('makes two segments that verify at depth 1 only', async () => {
    const { stdout } = await cli([...args, '--depth', '1', '--json'])
    const { proof, depth, split } = JSON.parse(stdout) as { proof: string; depth: number; split: number }
    expect({ depth, split, bytes: proof.length / 2 }).toEqual({ depth: 1, split: 900, bytes: 341 })
    expect((await cli(question(small, { proof, depth: '1' }))).exitCode).toBe(0)
    expect((await cli(question(small, { proof, depth: '0' }))).exitCode).toBe(1)
  })

  it('shows its progress on a terminal and leaves stdout to the proof', async () => {
    const { stdout, stderr } = await cli(args, { terminal: true })
    expect(stdout).toBe(`${small.y_hex}${small.proof_hex}\n`)
    expect(stderr.replaceAll('\r', '').replaceAll('\u001b[2K', '')).toMatch(/^(?:$|squaring|proving)/u)
  })

  it.each([
    ['when interrupted', () => AbortSignal.timeout(300)],
    ['when it was interrupted before it began', () => AbortSignal.abort()]
  ])('stops %s', async (_when, signal) => {
    const { exitCode, stdout } = await cli(['vdf', 'prove', '--seed', small.seed_hex, '--iterations', '1000000000'], {
      signal: signal()
    })
    expect({ exitCode, stdout }).toEqual({ exitCode: 130, stdout: '' })
  })
})

describe('vdf bench', () => {
  const quick = ['vdf', 'bench', '--seconds', '0.2', '--runs', '2', '--threads', '2', '--bits', '256']

  it('prints squarings per second with median and spread for each number of threads', async () => {
    const { exitCode, stdout } = await cli([...quick, '--json'])
    expect(exitCode).toBe(0)
    const result = JSON.parse(stdout) as BenchResult
    expect(result).toMatchObject({ backend: addon().backend(), bits: 256, threads: 1, runs: 2 })
    expect(result.squarings_per_second).toBe(result.rows[0]!.median)
    expect(result.rows.map(({ threads }) => threads)).toEqual([1, 2])
    for (const { low, median, high } of result.rows) {
      expect(low).toBeGreaterThan(0)
      expect(median).toBeGreaterThanOrEqual(low)
      expect(high).toBeGreaterThanOrEqual(median)
    }
  })

  it('writes a page and its figures for others to cite', async () => {
    const path = join(temporary(), 'page')
    const { exitCode, stdout } = await cli([...quick, '--report', path], { terminal: true })
    expect(exitCode).toBe(0)
    expect(stdout).toContain(`saved: ${path}.md, ${path}.json`)
    const report = v.parse(ReportSchema, JSON.parse(readFileSync(`${path}.json`, 'utf8')))
    expect(report).toMatchObject({ backend: addon().backend(), bits: 256, compiler: addon().compiler(), seeds: 40 })
    expect(report.compiler).toMatch(/^rustc \d+\.\d+/)
    for (const { p25, median, p75 } of [report.discriminant_ms, report.verification_ms, report.from_seed_ms]) {
      expect(p25).toBeGreaterThan(0)
      expect(median).toBeGreaterThanOrEqual(p25)
      expect(p75).toBeGreaterThanOrEqual(median)
    }
    const page = readFileSync(`${path}.md`, 'utf8')
    for (const { median } of report.rows) expect(page).toContain(median.toLocaleString('en-US'))
    for (const text of [report.cpu, report.compiler, `${report.from_seed_ms.median} ms`]) expect(page).toContain(text)
  })
})

describe('the numbers of threads measured', () => {
  it.each([
    [1, [1]],
    [2, [1, 2]],
    [6, [1, 2, 4, 6]],
    [8, [1, 2, 4, 8]]
  ])('are those up to %i', (most, counts) => expect(threadCounts(most)).toEqual(counts))

  it('have the middle of their runs, or the mean of the two in the middle', () => {
    expect(rowOf(1, [5, 1, 9])).toEqual({ threads: 1, median: 5, low: 1, high: 9 })
    expect(rowOf(2, [4, 1, 9, 6])).toEqual({ threads: 2, median: 5, low: 1, high: 9 })
  })
})
