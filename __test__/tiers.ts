/**
 * Which unit tests `npm test` runs: all but those of the full tier, which are here by place or by name.
 * `npm run test:full` runs every file, and names quick ones that have become slow.
 */
export const FULL_PLACES: readonly string[] = [
  '__test__/attacks/network/',
  '__test__/cluster/',
  '__test__/e2e/',
  '__test__/farm/',
  '__test__/hostile/',
  '__test__/long/',
  'lab/'
]

/** Each takes seconds of a processor, or a package of the system. */
export const FULL_FILES: readonly string[] = [
  '__test__/api/documented-errors.test.ts',
  '__test__/api/doh.test.ts',
  '__test__/attacks/rules/churn.test.ts',
  '__test__/attacks/rules/divided.test.ts',
  '__test__/backup/backup.test.ts',
  '__test__/backup/sealed-seed.test.ts',
  '__test__/cli/commands/daemon/backup.test.ts',
  '__test__/cli/commands/work/vdf.test.ts',
  '__test__/cli/dns/recipes.test.ts',
  '__test__/cli/identity/recover.test.ts',
  '__test__/cli/key/run.test.ts',
  '__test__/cli/many/batch.test.ts',
  '__test__/cli/paths.test.ts',
  '__test__/cli/terminal/captured.test.ts',
  '__test__/daemon/seed-at-start.test.ts',
  '__test__/daemon/seed-service.test.ts',
  '__test__/data-directory/https-authority.test.ts',
  '__test__/dns/master-files.test.ts',
  '__test__/dns/records-to-wire.knot.test.ts',
  '__test__/evaluations/repair.test.ts',
  '__test__/foreign.test.ts',
  '__test__/native/https-authority.test.ts',
  '__test__/native/https-keys.test.ts',
  '__test__/native/leak.test.ts',
  '__test__/native/pool/evaluation.test.ts',
  '__test__/native/pool/pool.test.ts',
  '__test__/network/routing/role.test.ts',
  '__test__/network/routing/table.nodes.test.ts',
  '__test__/network/table.test.ts',
  '__test__/network/transport/replace-dead.test.ts',
  '__test__/network/upkeep/missing-names.test.ts',
  '__test__/operate/deployment.test.ts',
  '__test__/operate/manual-pages.test.ts',
  '__test__/operate/monitoring.test.ts',
  '__test__/operate/systemd.test.ts',
  '__test__/registry/claims/run.real-pool.test.ts',
  '__test__/registry/resolution/by-code.test.ts',
  '__test__/util/utf8.linter.test.ts',
  '__test__/verify/verify.test.ts',
  '__test__/web/verify-modules.test.ts'
]

/**
 * Rooms whose tests leave nothing behind: `npm test` runs many of their files in one process, which loads what they
 * import once. The full tier runs each file in a process of its own.
 */
export const SHARING_PLACES: readonly string[] = [
  '__test__/api/',
  '__test__/config/',
  '__test__/protocol/',
  '__test__/util/'
]

/** @param file path from the root of the checkout, with slashes */
export const isQuick = (file: string): boolean =>
  !FULL_PLACES.some((place) => file.startsWith(place)) && !FULL_FILES.includes(file)

/** Seconds of a processor that a quick file may take by itself. */
export const QUICK_SECONDS = 3
