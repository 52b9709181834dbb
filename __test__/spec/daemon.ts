/**
 * A daemon as a process, and its HTTP address. This suite holds it to what users were promised, so nothing here imports
 * from `src` or `scripts`: only commands, documented formulas and `fetch`.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'vitest'

const ROOT = resolve(import.meta.dirname, '../..')
/** The deadline of a wait, which only what never comes reaches. */
const PATIENCE_MS = 300_000

const environment = {
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('CHRONYM_'))),
  CHRONYM_MDNS: 'false'
}
const CLI = join(ROOT, 'src/cli/main.ts')

/** JSON that a test looks into. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type Json = any

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: Json
}

export interface Request {
  readonly body?: unknown
  /** Sent as it is, in place of JSON. */
  readonly raw?: string
  /** The main token when left out; null: none. */
  readonly token?: string | null
  readonly headers?: Record<string, string>
}

export interface World {
  readonly url: string
  readonly directory: string
  /** What a command takes that works for this daemon. */
  readonly options: readonly string[]
  readonly token: string
  readonly profile: Json
  readonly request: (method: string, path: string, request?: Request) => Promise<Answer>
  /** The pulse of a round: its signature in hex. */
  readonly pulse: (round: number) => Promise<string>
  readonly end: () => Promise<void>
}

export function chronym(...args: string[]): string {
  return execFileSync(process.execPath, [CLI, ...args], { env: environment, encoding: 'utf8' })
}

async function started(script: string, args: readonly string[]): Promise<{ child: ChildProcess; said: Json }> {
  const child = spawn(process.execPath, [join(ROOT, script), '--json', ...args], {
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe']
  })
  let log = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (log = `${log}${text}`.slice(-20_000)))
  const line = await Promise.race([
    once(createInterface({ input: child.stdout }), 'line').then(([text]) => text as string),
    once(child, 'close').then(() => Promise.reject(new Error(`${script} ended: ${log}`)))
  ])
  return { child, said: JSON.parse(line) }
}

/** On a network like `local`, alone, where a name costs this number of squarings and two letters cost more. */
export async function startWorld(squarings = 20_000): Promise<World> {
  const directory = mkdtempSync(join(tmpdir(), 'chronym-spec-'))
  const profile = JSON.parse(chronym('config', 'profile', 'local'))
  profile.id = 'spec'
  profile.difficulty = {
    base: squarings,
    by_length: [
      { from: 1, factor: 10_000 },
      { from: 3, factor: 1 }
    ]
  }
  const network = join(directory, 'profile.json')
  writeFileSync(network, JSON.stringify(profile))
  const beacon = await started(CLI.slice(ROOT.length), ['beacon', '--port', '0'])
  const daemon = await started('src/daemon/main.ts', [
    ...['--network', network, '--data-dir', join(directory, 'data'), '--port', '0', '--dns-listen', '127.0.0.1:0'],
    ...['--listen', '/ip4/127.0.0.1/tcp/0', '--beacon-url', beacon.said.url, '--vdf-max-tasks', '4']
  ])
  const url = daemon.said.api_url as string
  const main = readFileSync(daemon.said.token_file as string, 'utf8').trim()
  const request: World['request'] = async (method, path, { body, raw, token = main, headers = {} } = {}) => {
    const sent = raw ?? (body === undefined ? undefined : JSON.stringify(body))
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        connection: 'close',
        ...(token !== null && { authorization: `Bearer ${token}` }),
        ...(sent !== undefined && { 'content-type': 'application/json' }),
        ...headers
      },
      ...(sent !== undefined && { body: sent })
    })
    const text = await response.text()
    const isJson = /json/.test(response.headers.get('content-type') ?? '')
    return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text }
  }
  const pulse = async (round: number): Promise<string> => {
    const found = await eventually(
      () => fetch(`${beacon.said.url}/public/${round}`),
      ({ status }) => status === 200
    )
    return ((await found.json()) as { signature: string }).signature
  }
  const end = async (): Promise<void> => {
    for (const { child } of [daemon, beacon]) {
      const closed = once(child, 'close')
      child.kill('SIGKILL')
      await closed
    }
    rmSync(directory, { recursive: true, force: true, maxRetries: 5 })
  }
  const options = ['--data-dir', join(directory, 'data'), '--network', network]
  return { url, directory, options, token: main, profile, request, pulse, end }
}

export async function eventually<T>(ask: () => Promise<T>, accept: (value: T) => boolean): Promise<T> {
  const deadline = Date.now() + PATIENCE_MS
  for (;;) {
    const value = await ask()
    if (accept(value)) return value
    if (Date.now() > deadline) throw new Error(`not so in time; last: ${JSON.stringify(value)}`)
    await delay(50)
  }
}

/** Registers a name by the task, and resolves with the last status of the task. */
export async function register(world: World, name: string, more: object = {}): Promise<Json> {
  const { status, body } = await eventually(
    () => world.request('POST', '/api/vdf/register', { body: { name, ...more } }),
    (answer) => answer.status !== 503
  )
  expect({ status, body }).toMatchObject({ status: 202 })
  const task = await eventually(
    () => world.request('GET', `/api/vdf/status/${body.task_id}`),
    (answer) => answer.body.status !== 'running'
  )
  expect(task.body).toMatchObject({ status: 'completed', error: null })
  return task.body
}

/** An error has one shape everywhere: RFC 9457, the SVC code, and the id of the request. */
export function expectProblem({ status, headers, body }: Answer, code: string, http: number): void {
  expect({ status, code: body.code as unknown }).toEqual({ status: http, code })
  expect(headers.get('content-type')).toMatch(/^application\/problem\+json/)
  expect(body).toEqual(
    expect.objectContaining({
      type: `/errors/${code}`,
      title: expect.any(String) as unknown,
      status: http,
      detail: expect.any(String) as unknown,
      request_id: headers.get('x-request-id')
    })
  )
}
