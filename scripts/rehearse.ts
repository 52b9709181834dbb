/** `npm run rehearse`: docs/first-network.md on eleven daemons, each command word by word. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { ROOT } from './program.ts'

const vitest = [join(ROOT, 'node_modules/vitest/vitest.mjs'), 'run', '--project', 'e2e', '__test__/e2e/runbook.test.ts']
const { status } = spawnSync(process.execPath, vitest, {
  cwd: ROOT,
  stdio: 'inherit',
  env: { ...process.env, RUNBOOK_NODES: '11' }
})
process.exit(status ?? 1)
