/** Makes `dist/`, the program as the package has it. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { ROOT } from '../../scripts/program.ts'
import { say } from './scratch.ts'

/** Of this checkout, or of the one at `root`. Throws with what failed. */
export function buildDist(root = ROOT): void {
  say(`building ${join(root, 'dist/')}`)
  for (const step of [['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json'], ['scripts/finish-build.mjs']]) {
    const { status, stdout } = spawnSync(process.execPath, [join(root, step[0]!), ...step.slice(1)], {
      cwd: root,
      encoding: 'utf8'
    })
    if (status !== 0) throw new Error(`${step.join(' ')} failed: ${stdout}`)
  }
}
