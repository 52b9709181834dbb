/** A new, empty directory for each test, and the stores that it opens there. */
import { join } from 'node:path'
import { afterEach, beforeEach } from 'vitest'
import { openStore, type StoreOptions } from '../../src/store/open.ts'
import { StoreError, type OpenedStore } from '../../src/store/types.ts'
import { temporary } from '../temporary.ts'

export let directory: string
export let file: string
const open: OpenedStore[] = []

beforeEach(() => {
  directory = temporary()
  file = join(directory, 'chronym.db')
})

afterEach(() => {
  for (const store of open.splice(0)) store.close()
})

/** Closed at the end of the test. */
export function opened(options?: StoreOptions): OpenedStore {
  const store = openStore(file, options)
  open.push(store)
  return store
}

export function failure(action: () => unknown): StoreError {
  try {
    action()
  } catch (error) {
    if (error instanceof StoreError) return error
    throw error
  }
  throw new Error('nothing was thrown')
}
