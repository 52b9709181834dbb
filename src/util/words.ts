/** Counts in words, for the command line, the daemon and the page. Uses nothing of Node. */

/** 1234567 as "1,234,567". */
export const count = (number: number): string => number.toLocaleString('en')

/** "3 peers", "1 peer"; `plural(2, 'identity', 'identities')` is "2 identities". */
export const plural = (number: number, one: string, many = `${one}s`): string =>
  `${count(number)} ${number === 1 ? one : many}`
