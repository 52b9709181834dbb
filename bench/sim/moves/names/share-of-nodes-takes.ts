/** A share of all nodes, two in each /24, shows another claim of a name that settles. */
import { shareMove } from './share.ts'

export const move = shareMove({ id: 'share-of-nodes-takes', goal: 'take' })
