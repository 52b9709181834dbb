/** What look-ups write, on a real database: late, together, and never in the way of an answer. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { prefixes } from '../../../src/store/keys.ts'
import { openStore, type StoreOptions } from '../../../src/store/open.ts'
import type { Store } from '../../../src/store/types.ts'
import type { MemoryStore } from '../claims/fakes.ts'
import type { TestNode } from '../test-node.ts'
import { ALICE, useWorkbench } from '../workbench.ts'

const bench = useWorkbench()
let directory: string
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'chronym-resolver-disk-'))
  await bench.start()
  await bench.registered()
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

async function asking(options: StoreOptions): Promise<{ asker: TestNode; store: Store }> {
  const store = openStore(join(directory, 'chronym.db'), options)
  // Nodes of tests use no more of theirs than the interface that both have.
  return { store, asker: await bench.start({ seed: 2, self: undefined, store: store as unknown as MemoryStore }) }
}

it('a resolve and a DNS answer do not fail with the disk, and the owner is remembered in memory', async () => {
  const failures: unknown[] = []
  const { asker, store } = await asking({ maxPages: 16, onLateFailure: (error) => failures.push(error) })
  for (let size = 40_000; size >= 1; size = Math.floor(size / 2)) {
    for (let number = 0; ; number++) {
      try {
        store.put(`aside/full/${size}/${number}`, new Uint8Array(size))
      } catch {
        break
      }
    }
  }
  expect((await asker.registry.resolve(ALICE)).confidence).toBe('settled')
  expect(await asker.registry.lookUp(ALICE)).toMatchObject({ resolved: { reveal: { name: ALICE } } })
  store.settle()
  expect(failures).toHaveLength(1)
  expect((await asker.registry.explain(ALICE)).pin).toMatchObject({ state: 'tentative' })
  store.close()
})

it('many names cost one write, and one count of the pins', async () => {
  const writes: (readonly string[])[] = []
  const { asker, store } = await asking({ onChange: (keys) => writes.push(keys) })
  const names = Array.from({ length: 5 }, (_, number) => `name-${number}.chronym`)
  for (const name of names) await bench.registered(undefined, name)
  writes.length = 0
  const counted = vi.spyOn(store, 'count')
  for (const name of names) await asker.registry.resolve(name)
  store.settle()
  expect(writes.filter((keys) => keys.some((key) => key.startsWith(prefixes.pins)))).toHaveLength(1)
  expect(counted.mock.calls.filter(([prefix]) => prefix === prefixes.pins)).toHaveLength(1)
  expect(store.count(prefixes.pins)).toBe(names.length)
  store.close()
})
