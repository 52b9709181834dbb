import type { Origin } from '../../protocol/diversity.ts'

/** Our own offers: no budget, no rate. */
export const OURSELVES: Origin = { peer: 'self', prefix: 'self' }
