import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { FULL_FILES, FULL_PLACES, SHARING_PLACES } from './__test__/tiers.ts'
import { requireNode } from './src/util/node-version.ts'

requireNode(1)

/** Places of files that take half a minute and more. */
const LONG = [
  ...['__test__/attacks/network/', '__test__/cluster/', '__test__/native/', 'lab/__test__/'],
  ...['network', 'public-network', 'home-routers', 'transfer', 'transfer-walk', 'runbook'].map(
    (file) => `__test__/e2e/${file}.test.ts`
  )
]

/** Files with a browser, which drops what it asks for when an interface of the machine comes or goes. */
const BROWSERS = ['dashboard', 'dashboard-views', 'farm', 'https', 'https-local'].map(
  (file) => `__test__/e2e/${file}.test.ts`
)

/** Files that run networks and simulators for a minute begin first, so that no core is idle while the last one ends. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification): boolean => LONG.some((place) => moduleId.includes(place))
    const sorted = await super.sort(files)
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))]
  }
}

/** What `npm test` leaves to `npm run test:full`. */
const FULL = [...FULL_PLACES.map((place) => `${place}**`), ...FULL_FILES]

/** Quick files that share processes. */
const SHARING = SHARING_PLACES.map((place) => `${place}**/*.test.ts`)

/** Real daemons in network namespaces. */
const WIDE_AREA = 'lab/__test__/wan/**/*.test.ts'

/** Only what never comes is waited for as long. __test__/wait-for.ts gives up before a test does, and says at what. */
const PATIENCE = { testTimeout: 900_000, hookTimeout: 900_000, expect: { poll: { timeout: 300_000 } } }

/**
 * `unit`: many files in parallel. `quick` and `quick-sharing`: those of them that `npm test` runs (__test__/tiers.ts).
 * `e2e`: real processes, two files at a time, since they wait half of their time.
 * `e2e-browser`: after them, since they make and remove interfaces. `hostile`: one at a time. `long`: what takes hours.
 */
export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          name: 'unit',
          include: ['{__test__,lab/__test__}/**/*.test.ts'],
          exclude: ['__test__/e2e/**', '__test__/long/**', '__test__/hostile/**', WIDE_AREA],
          setupFiles: ['__test__/processor-time.ts'],
          pool: 'forks',
          ...PATIENCE
        }
      },
      {
        test: {
          name: 'quick',
          include: ['__test__/**/*.test.ts'],
          exclude: [...FULL, ...SHARING],
          setupFiles: ['__test__/processor-time.ts'],
          pool: 'forks',
          ...PATIENCE
        }
      },
      {
        test: {
          name: 'quick-sharing',
          include: SHARING,
          exclude: FULL,
          setupFiles: ['__test__/remove-temporary.ts'],
          pool: 'forks',
          isolate: false,
          ...PATIENCE
        }
      },
      {
        test: {
          name: 'e2e',
          include: ['__test__/e2e/**/*.test.ts', WIDE_AREA],
          exclude: BROWSERS,
          pool: 'forks',
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
          ...PATIENCE
        }
      },
      {
        test: {
          name: 'e2e-browser',
          include: BROWSERS,
          pool: 'forks',
          maxWorkers: 2,
          sequence: { groupOrder: 2 },
          ...PATIENCE
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
