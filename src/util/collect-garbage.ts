import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

let collect: ((options: object) => void) | undefined

/**
 * Frees what nothing refers to any more, and gives V8's spare pages back to the system; stops the event loop for 0.1 to
 * 0.2 s. OpenSSL overwrites its copy of a key when V8 collects the object that holds it, and a burst of garbage keeps
 * its pages for as long as the process runs. Node has no other way to ask for it than the flag, which is off again
 * afterwards; the inspector's command for it has hung a busy daemon.
 */
export function collectGarbage(): void {
  if (collect === undefined) {
    setFlagsFromString('--expose-gc')
    collect = runInNewContext('gc') as (options: object) => void
    setFlagsFromString('--no-expose-gc')
  }
  collect({ type: 'major', flavor: 'last-resort' })
}
