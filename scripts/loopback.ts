/**
 * An address of this machine that no other process of ours takes: all of 127.0.0.0/8 is this machine on Linux. There a
 * port that the system gave out stays free for who has to come back to it, or to find nobody there. At 127.0.0.1 the
 * next process that asks for any port may get it.
 */
export const OWN_HOST =
  process.platform === 'linux'
    ? [127, 128 + ((process.pid >>> 16) & 63), (process.pid >>> 8) & 255, process.pid & 255].join('.')
    : '127.0.0.1'
