/** Two clients that others' programs make of openapi.json: each compiles, and asks a daemon. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { withDaemon } from './daemon.ts'
import { type Outcome, outcome } from './outcome.ts'
import { said } from './said.ts'
import { programs, SOURCES } from './sources.ts'

export async function generatedClients(): Promise<Outcome[]> {
  return withDaemon(async ({ directory, url, token }) => {
    const document = join(directory, 'openapi.json')
    writeFileSync(document, await (await fetch(`${url}/openapi.json`)).text())
    return [...(await typescript(directory, document)), ...(await fetching(directory, document, url, token))]
  })
}

/** Tools for generators of clients; the checkout's own compiler is newer than they take. */
async function compiled(directory: string, ...args: readonly string[]): Promise<string> {
  const tsc = join(programs(SOURCES['openapi-ts']!), 'tsc')
  return said(tsc, ['--strict', '--skipLibCheck', '--target', 'es2022', '--lib', 'es2022,dom,dom.iterable', ...args], {
    cwd: directory
  })
}

async function typescript(directory: string, document: string): Promise<Outcome[]> {
  const types = join(directory, 'api.ts')
  const program = join(programs(SOURCES['openapi-typescript']!), 'openapi-typescript')
  const made = await said(program, [document, '-o', types])
  const wrong = await compiled(directory, '--noEmit', types)
  return [
    outcome('openapi-typescript makes types that compile', made.includes('→') && wrong === '', `${made}\n${wrong}`)
  ]
}

const ASK = (url: string, token: string): string => `
import { client } from './client/client.gen'
import * as api from './client'
async function ask() {
  client.setConfig({ baseUrl: '${url}', auth: '${token}' })
  const names = await api.getApiNames()
  const none = await api.getApiResolveByName({ path: { name: 'nobody.chronym' } })
  console.log(names.response?.status, JSON.stringify(names.data), none.response?.status)
}
void ask()
`

async function fetching(directory: string, document: string, url: string, token: string): Promise<Outcome[]> {
  const program = join(programs(SOURCES['openapi-ts']!), 'openapi-ts')
  const made = await said(program, ['-i', document, '-o', join(directory, 'client')], { cwd: directory })
  const script = join(directory, 'ask.ts')
  writeFileSync(script, ASK(url, token))
  const commonJs = ['--module', 'commonjs', '--moduleResolution', 'node10', '--outDir', join(directory, 'built')]
  const wrong = await compiled(directory, ...commonJs, script)
  const ran = await said(process.execPath, [join(directory, 'built/ask.js')])
  return [
    outcome('openapi-ts makes a client that compiles', wrong === '', `${made}\n${wrong}`),
    outcome('its client asks a daemon', /^200 \[\] 40[49]/mu.test(ran), ran)
  ]
}
