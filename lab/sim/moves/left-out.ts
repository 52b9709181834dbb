/**
 * What no move tries, and why. Rules that look at one record, one message or one connection need no network to be tried:
 * the test of that name in `__test__/attacks` or beside the part has the real code.
 */
const ONE_RECORD = 'looks at one record alone'
const ONE_NODE = 'looks at one node and its connections alone'
const REAL_NODES = '__test__/attacks/network/same-prefixes.test.ts plays it with real nodes that fill their prefixes'
const PLAN = 'a plan, not a move: lab/__test__/sim/search plays it'

export const LEFT_OUT: Readonly<Record<string, string>> = {
  'a claim that few vouch for': PLAN,
  'libraries disagree otherwise': ONE_RECORD,
  'a record carried into another network': ONE_RECORD,
  'Unicode tables differ between versions': ONE_RECORD,
  "owners' names can't be linked": ONE_RECORD,
  'a stamp of another commitment': ONE_RECORD,
  'a chain made in parallel': ONE_RECORD,
  'any split verifies, so one claim would have many proofs': ONE_RECORD,
  "chiavdf's verifier accepts altered encodings": ONE_RECORD,
  'a renewal without its first claim': ONE_RECORD,
  'a proof copied under another key': ONE_RECORD,
  'dates that only some engines know': ONE_RECORD,
  'records at their bounds': ONE_RECORD,
  'a chain with a gap': ONE_RECORD,
  'serials and rounds at 2^53 - 1': ONE_RECORD,
  'a serial ahead of time': ONE_RECORD,
  'a list carried into another name': ONE_RECORD,
  'an isolated resolver': ONE_NODE,
  'ids that nobody can dial': ONE_NODE,
  'ids in the prefixes of honest nodes': REAL_NODES,
  'a code that is typed wrong': ONE_RECORD,
  'a code of another network': ONE_RECORD,
  'two claims with one code': ONE_RECORD,
  'a change of another claim': ONE_RECORD,
  'a change without its consent': ONE_RECORD,
  'a name given to a key that did not ask for it': ONE_RECORD,
  'a change that opens the contest again': ONE_RECORD,
  'connections to third parties': ONE_NODE,
  'peers that dial by the hundred': ONE_NODE,
  'idle connections of one address': ONE_NODE,
  'a peer that turns light and is dialled again': ONE_NODE,
  'private addresses that a peer tells': ONE_NODE,
  'a liar in DNS who names peers': ONE_NODE,
  'a liar in DNS who shows an old list': ONE_NODE,
  'pages that do not ascend': ONE_NODE,
  'a put that has others asked': ONE_NODE,
  'peers that ask for page after page': ONE_NODE,
  'peers that use up what all may cost': ONE_NODE,
  'look-ups that take the event loop': ONE_NODE
}

/** Rows of the attack table of docs/threat-model.md, likewise. */
export const ROWS_LEFT_OUT: Readonly<Record<string, string>> = {
  'a node that nobody can join': ONE_NODE,
  'two machines of one user, one of them light': ONE_NODE,
  'a history of twenty leases': ONE_RECORD
}
