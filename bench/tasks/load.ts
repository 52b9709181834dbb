/**
 * The load of neighbour.ts, in its own process: node load.ts URL PER_SECOND SECONDS. Prints the latencies in
 * milliseconds, sorted, as JSON.
 *
 * Sends requests at fixed times whatever becomes of earlier ones (an open loop), and times each from when it was due: a
 * request behind a slow one includes its wait.
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
