/** All moves, in the order of their ids. */
import { floodMoves } from './flood/floods.ts'
import { listMoves } from './flood/lists.ts'
import { documentMoves } from './identities/documents.ts'
import { logMoves } from './identities/logs.ts'
import type { Move } from './move.ts'
import { saleMoves } from './names/sales.ts'
import { theftMoves } from './names/thefts.ts'
import { changedLeaseMoves } from './names/changed-leases.ts'
import { resaleMoves } from './names/resales.ts'
import { longMoves } from './names/long.ts'
import { newNameMoves } from './names/new.ts'
import { settledMoves } from './names/settled.ts'
import { shareMoves } from './names/share-of-nodes.ts'
import { firstPeerMoves } from './routing/first-peers.ts'
import { sizeMoves } from './routing/size.ts'
import { tableMoves } from './routing/tables.ts'
import { contestMoves } from './timing/contests.ts'
import { partitionMoves } from './timing/partitions.ts'

export const MOVES: readonly Move[] = [
  floodMoves,
  listMoves,
  documentMoves,
  logMoves,
  saleMoves,
  resaleMoves,
  changedLeaseMoves,
  theftMoves,
  longMoves,
  newNameMoves,
  settledMoves,
  shareMoves,
  firstPeerMoves,
  sizeMoves,
  tableMoves,
  contestMoves,
  partitionMoves
]
  .flat()
  .sort((left, right) => (left.id < right.id ? -1 : 1))
