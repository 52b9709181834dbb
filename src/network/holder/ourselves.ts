import type { Origin } from '../../protocol/neighbourhood/diversity.ts'

/** This node's own offers: no budget, no rate. */
export const OURSELVES: Origin = { peer: 'self', prefix: 'self' }
