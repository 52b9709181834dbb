/**
 * Work on a secret in a process of its own, off the event loop. Libraries make copies of a secret that nobody can
 * overwrite: a thread would leave them in the memory of this process, and the kernel clears that of an ended one.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/**
 * What the script `name` beside the module `from` answers; it calls {@link answerApart}. Rejects where it gives no
 * answer.
 * @param secret for the caller to overwrite after the answer; it goes through a pipe, and `request` is copied
 */
export async function runApart<Answer>(
  name: string,
  from: string,
  request: object,
  secret: Uint8Array
): Promise<Answer> {
  const child = fork(fileURLToPath(new URL(`${name}${from.endsWith('.ts') ? '.ts' : '.js'}`, from)), {
    serialization: 'advanced',
    stdio: ['pipe', 'ignore', 'inherit', 'ipc']
  })
  // Its end says why it reads no more.
  child.stdin!.on('error', () => undefined)
  const answered = new Promise<Answer>((resolve, reject) => {
    child.once('message', (answer) => resolve(answer as Answer))
    child.once('error', reject)
    // After an answer this changes nothing.
    child.once('exit', (code, signal) => reject(new Error(`its process ended with ${signal ?? code} and no answer`)))
  })
  child.send(request, () => undefined)
  child.stdin!.end(secret)
  return answered
}

/** The other side: answers one request, then ends. It ends at once where the process that asked has ended. */
export async function answerApart(work: (request: unknown, secret: Uint8Array) => Promise<object>): Promise<void> {
  const leave = (): void => process.exit(1)
  process.once('disconnect', leave)
  const [[request], chunks] = await Promise.all([
    once(process, 'message') as Promise<[unknown]>,
    process.stdin.toArray() as Promise<Uint8Array[]>
  ])
  process.send!(await work(request, Buffer.concat(chunks)), () => {
    process.off('disconnect', leave)
    process.disconnect()
  })
}
