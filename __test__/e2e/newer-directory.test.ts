/** A data directory that a newer version has used: the daemon and the command line refuse it, and say what to do. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { dataPaths } from '../../src/data-directory/paths.ts'
import { openStore } from '../../src/store/open.ts'
import { RENAMING } from '../store/migrating.ts'
import { runToEnd } from './processes.ts'

let directory: string

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'chronym-newer-'))
  openStore(dataPaths(directory).database, { layout: RENAMING }).close()
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

it('ends the start with SVC-STO-002, fails the self-check, and does not change', async () => {
  const before = readFileSync(dataPaths(directory).database)
  const daemon = await runToEnd('src/daemon/main.ts', ['--data-dir', directory, '--port', '0'])
  expect(daemon).toMatchObject({ code: 1, stdout: '' })
  expect(daemon.stderr).toMatch(
    /SVC-STO-002.*newer version of Chronym \(schema \d+, this one knows \d+.*\n.*Install that version again/
  )
  const check = await runToEnd('src/cli/main.ts', ['--data-dir', directory, 'self-check', '--json'])
  expect(check.code).toBe(1)
  expect(check.stdout).toMatch(/"name":"data","state":"failed".*newer version of Chronym/)
  expect(readFileSync(dataPaths(directory).database)).toEqual(before)
})
