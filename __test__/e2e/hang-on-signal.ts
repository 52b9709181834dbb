/** Preloaded: hangs the event loop at SIGUSR2, without end, after saying so. */
import { writeSync } from 'node:fs'

process.on('SIGUSR2', () => {
  writeSync(2, 'hung\n')
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
})
