/** Where nodes are, on loopback and in the simulator alike. */
export const NAME = 'compared.chronym'

/** Honest nodes that a daemon that joins knows, as a profile names them. They never leave. */
export const FIRST_PEERS = 3

/** Of the honest node of an index: a /16 of its own. */
export const placeOf = (index: number): string => `127.${index + 1}.0.1`

/** Of a liar: two share a /24, four a /16. */
export const placeOfLiar = (index: number): string => `127.${200 + Math.floor(index / 4)}.${Math.floor(index / 2)}.1`

/** Of a daemon that only asks. */
export const rentedFrom = (index: number): string => `127.${230 + index}.0.1`

export const prefixOf = (place: string): string => `${place.split('.').slice(0, 3).join('.')}.0/24`
