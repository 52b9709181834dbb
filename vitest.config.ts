import { defineConfig } from 'vitest/config'

/** `unit`: many short files in parallel. `e2e`: real processes, one file at a time. `long`: only by `npm run test:long`. */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['__test__/**/*.test.ts'],
          exclude: ['__test__/e2e/**', '__test__/long/**'],
          pool: 'forks',
          testTimeout: 30_000,
          hookTimeout: 30_000
        }
      },
      {
        test: {
          name: 'e2e',
          include: ['__test__/e2e/**/*.test.ts'],
          pool: 'forks',
          fileParallelism: false,
          testTimeout: 180_000,
          hookTimeout: 60_000
        }
      },
      {
        test: {
          name: 'long',
          include: ['__test__/long/**/*.test.ts'],
          pool: 'forks',
          fileParallelism: false,
          testTimeout: 3_600_000,
          hookTimeout: 120_000
        }
      }
    ]
  }
})
