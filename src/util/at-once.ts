import { constants } from 'node:fs'

/** Opens to read without waiting: a FIFO in place of a file has no bytes, in place of hanging until somebody writes. */
export const AT_ONCE = constants.O_RDONLY | constants.O_NONBLOCK
