import { join } from 'node:path'
import { expect, it } from 'vitest'
import { cli, words } from '../harness.ts'

it.each([import.meta.filename, join(import.meta.dirname, 'nothing')])(
  'writes into no file and no missing directory, as %s, and asks no daemon first',
  async (out) => {
    const { exitCode, stderr } = await cli(words`https cert alice.chronym --out ${out}`, { terminal: true })
    expect(exitCode).toBe(2)
    expect(stderr).toContain(`--out ${out} is no directory`)
  }
)
