/** Makes `dist/`, the program as the package has it. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { ROOT } from '../../scripts/program.ts'
import { say } from './scratch.ts'

/** Throws with what failed. */
export function buildDist(): void {
  say('building dist/')
  for (const step of [['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json'], ['scripts/finish-build.mjs']]) {
    const { status, stdout } = spawnSync(process.execPath, [join(ROOT, step[0]!), ...step.slice(1)], {
      cwd: ROOT,
      encoding: 'utf8'
    })
    if (status !== 0) throw new Error(`${step.join(' ')} failed: ${stdout}`)
  }
}
