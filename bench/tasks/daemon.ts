/** A real daemon in a process of its own, on loopback, in a directory that goes with it. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { createClient, type Client } from '../../src/api/client.ts'
import { local } from '../../src/protocol/built-in-profiles.ts'

const ROOT = resolve(import.meta.dirname, '../..')

export interface BenchDaemon {
  readonly url: string
  readonly token: string
  readonly client: Client
  stop(): Promise<void>
}

/** On network `local`, but with names that cost `iterations` squarings each. */
export async function startDaemon(iterations: number, threads: number): Promise<BenchDaemon> {
  const directory = mkdtempSync(join(tmpdir(), 'chronym-bench-'))
  const profile = join(directory, 'profile.json')
  const difficulty = { base: iterations, by_length: [{ from: 1, factor: 1 }] }
  writeFileSync(profile, JSON.stringify({ ...local, difficulty }))
  const args = ['--json', '--port', '0', '--listen', '/ip4/127.0.0.1/tcp/0', '--network', profile, '--data-dir', join(directory, 'data'), '--log-level', 'error']
  const child = spawn(process.execPath, [join(ROOT, 'src/main.ts'), ...args, '--vdf-threads', String(threads), '--vdf-max-tasks', String(threads)], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('CHRONYM_')))
  })
  const ended = once(child, 'close')
  const [line] = (await Promise.race([
    once(createInterface({ input: child.stdout }), 'line'),
    ended.then(() => Promise.reject(new Error('the daemon ended before it listened')))
  ])) as [string]
  const { api_url: url, token_file: tokenFile } = JSON.parse(line) as { api_url: string; token_file: string }
  const token = readFileSync(tokenFile, 'utf8').trim()
  return {
    url,
    token,
    client: createClient({ baseUrl: url, token }),
    async stop() {
      child.kill('SIGTERM')
      await ended
      rmSync(directory, { recursive: true, force: true })
    }
  }
}
