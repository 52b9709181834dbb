/**
 * The load of neighbour.ts, in a process of its own: node load.ts URL PER_SECOND SECONDS. Prints the latencies in
 * milliseconds, sorted, as JSON.
 *
 * Requests are sent at fixed times whatever becomes of those before (an open loop), and each is timed from when it was
 * due: one that waits behind a slow one counts its waiting.
 */
import { Agent, get } from 'node:http'

const [url, perSecond, seconds] = process.argv.slice(2) as [string, string, string]
const intervalMs = 1000 / Number(perSecond)
const total = Number(perSecond) * Number(seconds)
const agent = new Agent({ keepAlive: true, maxSockets: 16 })

function request(): Promise<void> {
  return new Promise((resolve, reject) => {
    get(url, { agent }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`status ${String(response.statusCode)}`))
      response.resume().once('end', resolve)
    }).once('error', reject)
  })
}

const startedAt = performance.now()
const latencies: number[] = []
const pending: Promise<void>[] = []
for (let index = 0; index < total; index++) {
  const due = startedAt + index * intervalMs
  const wait = due - performance.now()
  if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait))
  pending.push(request().then(() => void latencies.push(performance.now() - due)))
}
await Promise.all(pending)
agent.destroy()
process.stdout.write(JSON.stringify(latencies.sort((left, right) => left - right)))
