import type { Origin } from '../../protocol/neighbourhood/diversity.ts'

/** Our own offers: no budget, no rate. */
export const OURSELVES: Origin = { peer: 'self', prefix: 'self' }
