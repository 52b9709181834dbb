/** What a daemon and a worker of 88cfa41c left at the server, with checkpoints that the daemon audited. */
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { waitFor } from '../wait-for.ts'
import { questionOf } from './processes.ts'
import { farm, linked, pool, worker } from './scene.ts'

const left = JSON.parse(readFileSync(new URL('../vectors/88cfa41c/farm.json', import.meta.url), 'utf8')) as Record<
  'seed' | 'job' | 'work' | 'state' | 'accepted',
  string
> & { bits: number; iterations: number; split: number }
const bytes = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex, 'hex'))
const SAVED_SQUARINGS = 1000

it('goes on from where it was, and leaves nothing there', async () => {
  const link = await linked()
  await link.put(`${left.job}.accepted`, bytes(left.accepted))
  await link.put(`${left.job}.state`, bytes(left.state))
  await link.addWork(left.job, bytes(left.work))
  const begun = worker('w1')
  const { bits: discriminantBits, iterations, split } = left
  const computation = { seed: bytes(left.seed), discriminantBits, iterations, split }
  const kept: number[] = []
  const terms = { checkpointSeconds: 9, memoryBytes: 1 << 14 }
  const handle = farm.evaluate(computation, terms, ({ squarings }) => kept.push(squarings))
  const outcome = await handle.outcome
  if (outcome.kind !== 'proof') throw new Error(`it ended as ${outcome.kind}`)
  expect(await pool.verifyProof(questionOf(computation, outcome.proof))).toBe(true)
  expect([begun.begun, kept[0]]).toEqual([[SAVED_SQUARINGS], SAVED_SQUARINGS])
  farm.forget(computation)
  await waitFor(() => expect(farm.hasForgotten(computation)).toBe(true))
  const keys: string[] = []
  for await (const key of await link.kv.keys()) keys.push(key)
  expect(keys).toEqual([])
})
