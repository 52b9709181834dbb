/** Runs the examples of docs/examples as processes, importing the package by its name. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, describe, expect, it } from 'vitest'
import { serve } from '../src/api/serve.ts'
import { decodeReveal } from '../src/protocol/claim/reveal.ts'
import { fromHex, toBase64 } from '../src/protocol/encoding/bytes.ts'
import { cleanEnvironment } from '../scripts/program.ts'
import { NAME, REVEAL } from './api/helpers/records.ts'
import { createWorld, MAIN_TOKEN, type World } from './api/helpers/world.ts'
import reveals from './vectors/chronym/reveals.json' with { type: 'json' }
import { waitFor } from './wait-for.ts'

const ROOT = resolve(import.meta.dirname, '..')
const EXAMPLES = join(ROOT, 'docs/examples')

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup()
})

async function daemon(): Promise<{ world: World; environment: Record<string, string> }> {
  const world = createWorld()
  const server = await serve(world.services, { host: '127.0.0.1', port: 0 })
  cleanups.push(() => server.close())
  return { world, environment: { CHRONYM_API: server.url, CHRONYM_TOKEN: MAIN_TOKEN } }
}

async function run(example: string, args: readonly string[], environment: Record<string, string> = {}) {
  const child = spawn(
    process.execPath,
    ['--import', join(ROOT, 'scripts/own-package.ts'), join(EXAMPLES, example), ...args],
    { env: { ...cleanEnvironment(), ...environment }, stdio: ['ignore', 'pipe', 'pipe'] }
  )
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { code: code as number, lines: stdout.trimEnd().split('\n'), stderr }
}

describe('the examples', () => {
  it('are these, and docs/library.md names each', () => {
    expect(readdirSync(EXAMPLES).toSorted()).toEqual(['resolve.ts', 'verify-offline.ts', 'watch-registration.ts'])
    const page = readFileSync(join(ROOT, 'docs/library.md'), 'utf8')
    for (const example of readdirSync(EXAMPLES)) expect(page).toContain(`examples/${example}`)
  })

  it('resolve a name', async () => {
    const { world, environment } = await daemon()
    world.hold(REVEAL)
    const { lines, stderr } = await run('resolve.ts', [NAME], environment)
    expect([stderr, lines]).toEqual(['', [`${NAME}, serial 4, from the network`, '@ TXT "network"']])
    expect((await run('resolve.ts', ['bob.chronym'], environment)).lines).toEqual(['nobody owns bob.chronym'])
  })

  it('watch a registration to its end', async () => {
    const { world, environment } = await daemon()
    const change = world.scriptTask(NAME)
    const ran = run('watch-registration.ts', [NAME], environment)
    const watching = waitFor(() => expect(world.openStreams()).toBe(1))
    await Promise.race([watching, ran.then(({ stderr }) => Promise.reject(new Error(`the example ended: ${stderr}`)))])
    change('completed', { status: 'completed', phase: 'done', progress: 1_000_000 })
    const { code, lines } = await ran
    expect([code, lines.at(-1)]).toEqual([0, expect.stringMatching(/^completed: done, 100 %/)])
  })

  it('verify a Reveal offline, and say what is wrong with another', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'chronym-example-'))
    cleanups.push(() => rmSync(directory, { recursive: true }))
    const { pubkey, vdf_proof, signature, payload, ...rest } = decodeReveal(fromHex(reveals[0]!.cbor))
    const reveal = {
      ...rest,
      pubkey: [...pubkey],
      vdf_proof: toBase64(vdf_proof),
      signature: toBase64(signature),
      payload: toBase64(payload)
    }
    const file = join(directory, 'reveal.json')
    writeFileSync(file, JSON.stringify(reveal))
    const good = await run('verify-offline.ts', [file, 'local', reveal.name])
    expect([good.code, good.lines.at(-1), good.stderr]).toEqual([0, 'valid, checked by native', ''])
    writeFileSync(file, JSON.stringify({ ...reveal, payload: '' }))
    const bad = await run('verify-offline.ts', [file, 'local'], { CHRONYM_VDF_BACKEND: 'bigint' })
    expect([bad.code, bad.lines.at(-1)]).toEqual([1, 'invalid: the signature does not verify'])
    expect(bad.lines.filter((line) => line.startsWith('-'))).toHaveLength(3)
  })
})

it('package.json exports what the build makes of a source', () => {
  const { exports } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    exports: Record<string, string | Record<string, string>>
  }
  const targets = Object.values(exports).flatMap((target) => (typeof target === 'string' ? [] : Object.values(target)))
  const sources = targets.map((target) => target.replace('./dist/', 'src/').replace(/\.(?:d\.ts|js)$/, '.ts'))
  expect(sources.length).toBeGreaterThan(5)
  expect(sources.filter((source) => !existsSync(join(ROOT, source)))).toEqual([])
})
