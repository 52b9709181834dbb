/** A real daemon in its own process, on loopback; its directory is deleted with it. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { end, firstLine, passErrorsOn, runDaemon, type DaemonSummary } from '../../scripts/program.ts'
import { createClient, type Client } from '../../src/api/client/client.ts'
import { local } from '../../src/protocol/profile/built-in.ts'

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
  const args = [
    '--network',
    profile,
    '--data-dir',
    join(directory, 'data'),
    '--log-level',
    'error',
    '--vdf-threads',
    String(threads),
    '--vdf-max-tasks',
    String(threads)
  ]
  const child = runDaemon(args)
  passErrorsOn(child)
  const { api_url: url, token_file: tokenFile } = await firstLine<DaemonSummary>(child)
  const token = readFileSync(tokenFile, 'utf8').trim()
  return {
    url,
    token,
    client: createClient({ baseUrl: url, token }),
    async stop() {
      await end(child, 'SIGTERM')
      rmSync(directory, { recursive: true, force: true })
    }
  }
}
