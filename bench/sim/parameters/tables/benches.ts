/** Parameters that choose the size and the cost of a proof: benches of the project show them, no network does. */
import type { BenchRun } from '../kinds.ts'

export const discriminant: BenchRun = {
  kind: 'bench',
  command: 'npm run bench:vdf -- --only squaring,verification,from-seed',
  figures: 'docs/performance.md, the table at its beginning',
  says:
    'a form has 100 bytes, and a verification takes 0.94 ms; all figures are at 1024 bits. ' +
    'What a size protects is literature: docs/simulator/parameters.md, discriminant_bits'
}

export const split: BenchRun = {
  kind: 'bench',
  command: 'npm run bench:tasks -- --long',
  figures: 'docs/tasks.md, Figures',
  says:
    'proving takes 8 to 10% of the squarings on one core, so the proof of the first nine tenths is ready when the last ' +
    'tenth is squared, and only a tenth of a proof is left: 0.49% on two cores'
}

export const twoSegments: BenchRun = {
  kind: 'bench',
  command: 'npm run bench:tasks -- --long',
  figures: 'docs/tasks.md, Figures',
  says: 'with one segment 8% of the work follows the last squaring on one core, with two segments 0.49% on two cores'
}
