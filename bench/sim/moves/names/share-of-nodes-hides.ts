/** A share of all nodes, two in each /24, keeps nothing and shows nothing. */
import { shareMove } from './share.ts'

export const move = shareMove({ id: 'share-of-nodes-hides', goal: 'hide' })
