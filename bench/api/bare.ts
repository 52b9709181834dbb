/** Hono alone: one route per given body (JSON, by path) on Node's server, without middleware. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { Hono } from 'hono'

const app = new Hono()
const routes = Object.entries(JSON.parse(process.argv[2] ?? '{}') as Record<string, object>)
for (const [path, body] of routes) app.get(path, (c) => c.json(body))

const listener = getRequestListener(app.fetch)
const server = createServer((request, response) => void listener(request, response))
server.listen(0, '127.0.0.1', () =>
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })}\n`)
)
