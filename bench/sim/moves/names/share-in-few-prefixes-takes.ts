/** A share of all nodes in six /24 of three /16 shows another claim of a name that settles. */
import { shareMove } from './share.ts'

export const move = shareMove({ id: 'share-in-few-prefixes-takes', goal: 'take', prefixes: 6 })
