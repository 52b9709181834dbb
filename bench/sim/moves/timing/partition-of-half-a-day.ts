/** Two halves of the network do not hear each other for twelve hours from the contest on: shorter than `settle`, a day. */
import { halvesMove } from './halves.ts'
import { HOUR_MS } from '../../world/world.ts'

export const move = halvesMove({ id: 'partition-of-half-a-day', cutMs: 12 * HOUR_MS, days: 7 })
