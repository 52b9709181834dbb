/**
 * node watch-registration.ts alice.chronym: registers a name and follows the work. Ctrl-C ends the watching, not the
 * work. A second run with the same key watches the same task.
 */
import { createClient } from 'chronym/client'
import { connectLocal } from 'chronym/client/node'

const [name = 'alice.chronym'] = process.argv.slice(2)
const { CHRONYM_API: baseUrl, CHRONYM_TOKEN: token } = process.env
// without an address: the daemon of this machine, which proves itself before it gets its token
const client = baseUrl === undefined ? connectLocal() : createClient({ baseUrl, token })

const stop = new AbortController()
process.once('SIGINT', () => stop.abort())

const { task_id: taskId } = await client.register(name, { idempotencyKey: `example-${name}` })
for await (const { type, task } of client.taskEvents(taskId, { signal: stop.signal })) {
  const share = Math.floor((100 * task.progress) / task.iterations)
  console.log(`${type}: ${task.phase}, ${share} %, ${task.eta_seconds ?? '?'} s left`)
}
