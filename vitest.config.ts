import { defineConfig } from 'vitest/config'
import { requireNode } from './src/util/node-version.ts'

requireNode(1)

/** `unit`: many short files in parallel. `e2e`: real processes, one file at a time. `hostile`: the same. `long`: what takes hours. */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['__test__/**/*.test.ts'],
          exclude: ['__test__/e2e/**', '__test__/long/**', '__test__/hostile/**'],
          pool: 'forks',
          // Above what __test__/wait-for.ts waits, which says what it waited for.
          testTimeout: 180_000,
          hookTimeout: 180_000,
          expect: { poll: { timeout: 120_000 } }
        }
      },
      {
        test: {
          name: 'e2e',
          include: ['__test__/e2e/**/*.test.ts'],
          pool: 'forks',
          fileParallelism: false,
          testTimeout: 300_000,
          hookTimeout: 180_000
        }
      },
      {
        test: {
          name: 'hostile',
          include: ['__test__/hostile/**/*.test.ts'],
          pool: 'forks',
          fileParallelism: false,
          testTimeout: 3_600_000,
          hookTimeout: 300_000
        }
      },
      { test: { name: 'long', include: ['__test__/long/**/*.test.ts'], pool: 'forks', hookTimeout: 180_000 } }
    ]
  }
})
