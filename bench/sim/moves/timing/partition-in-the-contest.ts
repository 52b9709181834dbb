/** Two halves of the network do not hear each other for ten minutes: longer than a contest, which lasts 90 s. */
import { halvesMove } from './halves.ts'
import { MINUTE_MS } from '../../world/world.ts'

export const move = halvesMove({ id: 'partition-in-the-contest', cutMs: 10 * MINUTE_MS, days: 3.5 })
