import { Session } from 'node:inspector'

/**
 * Frees what nothing refers to any more; some 50 ms. OpenSSL overwrites its copy of a key when V8 collects the object
 * that holds it, which an idle process may not do for hours. The session opens no port.
 */
export async function collectGarbage(): Promise<void> {
  const session = new Session()
  session.connect()
  try {
    await new Promise<void>((resolve, reject) => {
      session.post('HeapProfiler.collectGarbage', (error) => (error === null ? resolve() : reject(error)))
    })
  } finally {
    session.disconnect()
  }
}
