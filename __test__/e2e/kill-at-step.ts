/**
 * Runs the first steps of a change of the seed's files, then is killed as by kill -9. Arguments: seal | unseal, data
 * directory, steps, file of the sealed text.
 */
import { readFileSync } from 'node:fs'
import { dataPaths } from '../../src/data-directory/paths.ts'
import { sealingSteps, unsealingSteps } from '../../src/data-directory/seed-files.ts'

const [change, root, count, sealed] = process.argv.slice(2) as [string, string, string, string]
const paths = dataPaths(root)
const steps =
  change === 'seal'
    ? sealingSteps(paths, readFileSync(sealed, 'utf8'))
    : unsealingSteps(paths, new Uint8Array(32).fill(7))
for (const step of steps.slice(0, Number(count))) step.run()
process.kill(process.pid, 'SIGKILL')
