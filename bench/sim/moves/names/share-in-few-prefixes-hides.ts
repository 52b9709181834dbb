/** A share of all nodes in six /24 of three /16 keeps nothing and shows nothing. */
import { shareMove } from './share.ts'

export const move = shareMove({ id: 'share-in-few-prefixes-hides', goal: 'hide', prefixes: 6 })
