/** A process that writes until it is killed: prints the number of each write once the call has returned. */
import { openStore } from '../../src/store/open.ts'

const store = openStore(process.argv[2]!)
for (let index = 0; ; index++) {
  store.batch([
    { put: `task/${index}`, value: new Uint8Array([index & 0xff]) },
    { put: 'zone/newest', value: new TextEncoder().encode(String(index)) }
  ])
  process.stdout.write(`${index}\n`)
  // Lets the pipe drain, so that what the parent has read is what was confirmed.
  await new Promise((resolve) => setImmediate(resolve))
}
