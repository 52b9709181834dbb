/** A daemon for one suite, with the command line beside it. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { said } from './said.ts'
import { cleanEnvironment, end, firstLine, ROOT, run, type DaemonSummary } from '../program.ts'

export interface Scene {
  readonly directory: string
  readonly url: string
  readonly token: string
  /** The output of `chronym` with these words, both streams. */
  readonly chronym: (...words: readonly string[]) => Promise<string>
}

export async function chronym(words: readonly string[], directory: string): Promise<string> {
  const node = ['--disable-warning=ExperimentalWarning', join(ROOT, 'src/cli/main.ts'), ...words]
  return said(process.execPath, node, { cwd: directory, env: { ...cleanEnvironment(), HOME: directory } })
}

export async function withDaemon<T>(use: (scene: Scene) => Promise<T>, flags: readonly string[] = []): Promise<T> {
  const directory = mkdtempSync(join(tmpdir(), 'foreign-'))
  const data = join(directory, 'data')
  const listening = [
    '--json',
    '--port',
    '0',
    '--network',
    'local',
    '--listen',
    '/ip4/127.0.0.1/tcp/0',
    '--data-dir',
    data
  ]
  const child = run('src/daemon/main.ts', [...listening, ...flags])
  child.stderr!.resume()
  try {
    const { api_url: url, token_file: file } = await firstLine<DaemonSummary>(child)
    const token = readFileSync(file, 'utf8').trim()
    return await use({
      directory,
      url,
      token,
      chronym: (...words) => chronym(['--data-dir', data, ...words], directory)
    })
  } finally {
    await end(child, 'SIGTERM')
    rmSync(directory, { recursive: true, force: true, maxRetries: 3 })
  }
}
