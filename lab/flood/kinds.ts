/** The kinds of garbage that garbage.ts makes. */
export const GARBAGE_KINDS = [
  'reveal, false signature',
  'reveal, false proof',
  'reveal, false proof of 65 links',
  'commitment without work',
  'commitment with work',
  'identity, 60 true versions, unbound',
  'identity, random bytes',
  'manifest, 21,000 empty arrays',
  'frame of 131,067 empty strings',
  'frame that is too long',
  'frame that never ends',
  'list of everything',
  'get of nothing'
] as const
export type GarbageKind = (typeof GARBAGE_KINDS)[number]
