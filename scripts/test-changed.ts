/**
 * `npm test -- --changed [--since REF]`, while you edit: the types, and unit tests of what changed since REF (HEAD
 * unless named). Tests that import it come nearest first, as many as took half a minute when they last ran. Those that
 * reach it without an import, in processes of their own, are left to `npm run test:full`.
 */
import { spawn, spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import ts from 'typescript'
import { ROOT } from './program.ts'

/** Seconds of tests, by vitest's record, and those of a test that has none. */
const BUDGET_SECONDS = 30
const UNKNOWN_SECONDS = 1

const { since } = parseArgs({
  options: { changed: { type: 'boolean' }, since: { type: 'string', default: 'HEAD' } }
}).values

function changedFiles(): string[] {
  const git = (...args: string[]): string[] => {
    const { status, stdout, stderr } = spawnSync('git', args, { cwd: ROOT, encoding: 'utf8' })
    if (status !== 0) throw new Error(stderr)
    return stdout.split('\n').filter((line) => line !== '')
  }
  return [...git('diff', '--name-only', since), ...git('ls-files', '--others', '--exclude-standard')]
}

/** File -> the files that import it. */
function importers(): Map<string, string[]> {
  const importersOf = new Map<string, string[]>()
  const files = globSync('{src,__test__,bench,lab,scripts}/**/*.{ts,mjs,js}', { cwd: ROOT })
  for (const file of files) {
    const { importedFiles } = ts.preProcessFile(readFileSync(join(ROOT, file), 'utf8'), true, true)
    for (const { fileName } of importedFiles) {
      if (!fileName.startsWith('.')) continue
      const imported = relative(ROOT, resolve(ROOT, dirname(file), fileName))
      importersOf.set(imported, [...(importersOf.get(imported) ?? []), file])
    }
  }
  return importersOf
}

/** Unit tests that import any of the files, or are one of them, nearest first. */
function testsOf(changed: readonly string[]): string[] {
  const importersOf = importers()
  const met = new Set(changed)
  for (const file of met) for (const importer of importersOf.get(file) ?? []) met.add(importer)
  const others = /^(?:__test__\/(?:e2e|hostile|long)|lab\/__test__\/wan)\//
  return [...met].filter((file) => file.endsWith('.test.ts') && !others.test(file))
}

interface VitestRecord {
  readonly projects?: { readonly unit?: { readonly files: { readonly [file: string]: { readonly duration: number } } } }
}

/** Seconds that a test took when it last ran. */
function secondsOf(): (test: string) => number {
  const [record] = globSync('node_modules/.vite/vitest/*/results.json', { cwd: ROOT })
  const files =
    record === undefined
      ? {}
      : (JSON.parse(readFileSync(join(ROOT, record), 'utf8')) as VitestRecord).projects?.unit?.files
  return (test) => (files?.[test] === undefined ? UNKNOWN_SECONDS : files[test].duration / 1000)
}

function run(args: string[]): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, { cwd: ROOT, stdio: ['ignore', 'inherit', 'inherit'] })
    child.on('close', (status) => resolve(status === 0))
  })
}

const changed = changedFiles()
const related = testsOf(changed)
const seconds = secondsOf()
let left = BUDGET_SECONDS
const chosen = related.filter((test) => {
  const fits = seconds(test) <= left
  if (fits) left -= seconds(test)
  return fits
})
process.stdout.write(
  `${changed.length} files changed since ${since}; ${related.length} unit tests import them, and ${chosen.length} run\n`
)
const incremental = ['--incremental', '--tsBuildInfoFile', 'node_modules/.cache/chronym/types.tsbuildinfo']
const types = run(['node_modules/typescript/bin/tsc', '-p', '.', ...incremental])
const tests = chosen.length === 0 || run(['node_modules/vitest/vitest.mjs', 'run', '--project', 'unit', ...chosen])
const passed = await Promise.all([types, tests])
if (changed.some((file) => file.startsWith('crates/'))) process.stdout.write('crates changed: run `cargo test` too\n')
if (!passed[0]) process.stdout.write('the types are wrong: see above\n')
process.exit(passed.every(Boolean) ? 0 : 1)
