/** The client against the whole of the interface: no path without a method, and nothing of Node in it. */
import { readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { createClient, UnreachableError, type Client } from '../../../src/api/client/client.ts'
import { createWorld } from '../helpers/world.ts'

const SRC = resolve(import.meta.dirname, '../../../src')

/** Pages for people. */
const PAGES = ['GET /', 'GET /docs', 'GET /errors/{code}', 'GET /proxy.pac']

interface Sent {
  readonly method: string
  readonly url: string
  readonly headers: Headers
  readonly signal: AbortSignal | null
}

function recorder(answer: (url: string) => Response = () => Response.json([])) {
  const sent: Sent[] = []
  return {
    sent,
    fetch: async (url: string, { method = 'GET', headers, signal = null }: RequestInit) => {
      sent.push({ method, url, headers: new Headers(headers), signal })
      return Promise.resolve(answer(url))
    }
  }
}

/** Calls every method, with texts for whatever it asks. */
async function callAll(client: Client): Promise<void> {
  const { taskEvents, events, ...others } = client
  const methods = Object.entries(others).filter(([name]) => name !== 'baseUrl' && name !== 'request')
  for (const [, method] of methods as [string, (...args: unknown[]) => Promise<unknown>][]) await method('x', 'x')
  for (const stream of [taskEvents('x'), events()]) {
    await stream.next()
    await stream.return()
  }
}

describe('chronym/client', () => {
  it('has a method for every path of the interface', async () => {
    const { sent, fetch } = recorder((url) => new Response(url.endsWith('events') ? 'id: 1\ndata: {}\n\n' : '[]'))
    await callAll(createClient({ baseUrl: 'http://daemon', fetch }))
    const document = (await (await createWorld().request('GET', '/openapi.json')).json()) as {
      paths: Record<string, Record<string, unknown>>
    }
    const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`)
    )
    const asked = sent.map(({ method, url }) => `${method} ${new URL(url).pathname}`)
    const unasked = operations.filter((operation) => {
      const pattern = new RegExp(`^${operation.replaceAll(/\{[a-z_]+\}/g, 'x')}$`)
      return !PAGES.includes(operation) && !asked.some((each) => pattern.test(each))
    })
    // chronym/did-resolver asks the first. For the second, POST does the same without base64 in the address.
    expect(unasked).toEqual(['GET /1.0/identifiers/{did}', 'GET /dns-query'])
  })

  it('is of no module of Node: browsers load it', () => {
    const seen = new Set<string>()
    const foreign = new Set<string>()
    const visit = (file: string): void => {
      if (seen.has(file)) return
      seen.add(file)
      const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest)
      source.forEachChild((node) => {
        if (!ts.isImportDeclaration(node) && !ts.isExportDeclaration(node)) return
        const { moduleSpecifier } = node
        const isType = /^(?:import|export) type /.test(node.getText(source))
        if (isType || moduleSpecifier === undefined || !ts.isStringLiteral(moduleSpecifier)) return
        if (moduleSpecifier.text.startsWith('.')) visit(join(dirname(file), moduleSpecifier.text))
        else foreign.add(moduleSpecifier.text)
      })
    }
    visit(join(SRC, 'api/client/client.ts'))
    expect([...foreign]).toEqual(['eventsource-parser'])
    expect(new Set([...seen].map((file) => relative(SRC, dirname(file))))).toEqual(new Set(['api/client', 'util']))
    const text = [...seen].map((file) => readFileSync(file, 'utf8')).join('\n')
    expect(text).not.toMatch(/\bBuffer\b|\bprocess\./)
  })

  it('sends tokens, headers, If-Match and Idempotency-Key', async () => {
    const { sent, fetch } = recorder()
    let secret = 'one'
    const client = createClient({
      baseUrl: 'http://daemon/',
      token: 't',
      headers: () => ({ 'X-Session-Secret': secret }),
      fetch
    })
    await client.saveZone('a b', { records: {} }, { ifMatch: '"1"' })
    await client.discardZone('a', { ifMatch: '"2"' })
    secret = 'two'
    await client.register('a', { idempotencyKey: 'k' })
    expect(sent.map(({ url }) => url)).toEqual([
      'http://daemon/api/zone/a%20b',
      'http://daemon/api/zone/a',
      'http://daemon/api/vdf/register'
    ])
    const of = (name: string) => sent.map(({ headers }) => headers.get(name))
    expect(of('Authorization')).toEqual(['Bearer t', 'Bearer t', 'Bearer t'])
    expect(of('If-Match')).toEqual(['"1"', '"2"', null])
    expect(of('Idempotency-Key')).toEqual([null, null, 'k'])
    expect(of('X-Session-Secret')).toEqual(['one', 'one', 'two'])
  })

  it('gives up after its time, says so, and tells it from a signal of the caller', async () => {
    const silent = async (_: string, { signal }: RequestInit): Promise<Response> => {
      const { promise, reject } = Promise.withResolvers<Response>()
      if (signal?.aborted === true) reject(signal.reason as Error)
      signal?.addEventListener('abort', () => reject(signal.reason as Error))
      return promise
    }
    const client = createClient({ baseUrl: 'http://daemon', timeoutMs: 5, fetch: silent })
    await expect(client.health()).rejects.toThrow(UnreachableError)
    await expect(client.health()).rejects.toThrow('no answer within 0.005 s')
    const stop = new AbortController()
    const asked = client.health({ signal: stop.signal, timeoutMs: Infinity })
    stop.abort(new Error('enough'))
    await expect(asked).rejects.toThrow('enough')
  })

  it('begins a stream after the event that the caller saw last', async () => {
    const stop = new AbortController()
    const { sent, fetch } = recorder(() => new Response('id: 8\ndata: {"type":"name"}\n\n'))
    const client = createClient({ baseUrl: 'http://daemon', timeoutMs: 1000, fetch })
    const events = client.events({ lastEventId: '7', signal: stop.signal })
    expect((await events.next()).value).toMatchObject({ id: '8' })
    expect(sent.map(({ headers }) => headers.get('Last-Event-ID'))).toEqual(['7'])
    // a stream may last: the client's time is for answers
    expect(sent[0]!.signal).toBe(stop.signal)
    const again = events.next()
    stop.abort()
    expect(await again).toMatchObject({ done: true })
  })

  it('asks the page it is on, or the port of a daemon', async () => {
    expect(createClient().baseUrl).toBe('http://127.0.0.1:7468')
    const scope = globalThis as { location?: { origin: string } }
    scope.location = { origin: 'https://names.example' }
    try {
      expect(createClient().baseUrl).toBe('https://names.example')
    } finally {
      delete scope.location
    }
  })
})
