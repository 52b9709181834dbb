/**
 * Where the nodes of a network are: each has an IPv4 address of its own, of 127.0.0.0/8, which Linux gives this machine
 * whole.
 */

export interface Setting {
  readonly id: string
  /** Shown in the table. */
  readonly where: string
  /** Nodes of one /24 that its addresses suffice for, times its prefixes. */
  readonly most: number
  /** The address of each node. */
  place(index: number): string
}

const HOSTS = 250

/**
 * `1`, `3`, `20`: the number of /24s, each in its own /16. `cloud`: twenty /24s in two /16s. Throws Error for anything
 * else.
 */
export function settingOf(id: string): Setting {
  if (id === 'cloud')
    return {
      id,
      where: 'one cloud: 20 /24s in two /16s',
      most: 20 * HOSTS,
      place: (index) => `127.${1 + (index % 2)}.${Math.floor(index / 2) % 10}.${1 + Math.floor(index / 20)}`
    }
  const prefixes = Number(id)
  if (!Number.isSafeInteger(prefixes) || prefixes < 1 || prefixes > 100)
    throw new Error(`--prefixes ${id}: whole numbers from 1 to 100, or cloud`)
  const where = prefixes === 1 ? 'one building: one /24' : `${prefixes} /24s in as many /16s`
  return {
    id,
    where,
    most: prefixes * HOSTS,
    place: (index) => `127.${1 + (index % prefixes)}.0.${1 + Math.floor(index / prefixes)}`
  }
}
