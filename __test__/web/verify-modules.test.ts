/** The verifier as browsers get it: each module as it is served, run without what only Node has. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import type * as Portable from '../../src/verify/browser.ts'
import type * as Ed25519 from '../../src/protocol/crypto/ed25519.ts'
import { fromHex } from '../../src/protocol/encoding/bytes.ts'
import { verifyModules } from '../../src/web/verify-modules.ts'
import { createWorld } from '../api/helpers/world.ts'
import reveals from '../vectors/chronym/reveals.json' with { type: 'json' }
import speccheck from '../vectors/ed25519-speccheck.json' with { type: 'json' }
import strict from '../vectors/ed25519-strict.json' with { type: 'json' }
import wycheproof from '../vectors/wycheproof-ed25519.json' with { type: 'json' }

const modules = verifyModules()
const directory = mkdtempSync(join(tmpdir(), 'chronym-verify-'))
for (const [path, { body }] of modules) {
  mkdirSync(dirname(join(directory, path)), { recursive: true })
  writeFileSync(join(directory, path), body)
}
writeFileSync(join(directory, 'package.json'), '{"type":"module"}')
afterAll(() => rmSync(directory, { recursive: true }))

const load = async <T>(path: string): Promise<T> =>
  (await import(/* @vite-ignore */ pathToFileURL(join(directory, path)).href)) as T

describe('the modules that browsers load', () => {
  it('import each other alone, by relative paths', () => {
    const known = new Set([...modules.keys()])
    const wrong = [...modules].flatMap(([path, { body }]) =>
      [...body.matchAll(/^[ \t]*(?:import|export)\b[^'"`;()]*?\bfrom\s*['"]([^'"]+)['"]/gmu)]
        .map(([, specifier]) => specifier!)
        .filter((specifier) => !specifier.startsWith('.') || !known.has(join(dirname(path), specifier)))
        .map((specifier) => `${path} -> ${specifier}`)
    )
    expect(wrong).toEqual([])
    expect(known.size).toBeGreaterThan(50)
  })

  it('use nothing of Node, and make no code of text', () => {
    const own = [...modules].filter(([path]) => !path.startsWith('npm/'))
    const text = own.map(([, { body }]) => body.replaceAll(/\/\*[^]*?\*\/|\/\/.*$/gmu, '')).join('\n')
    expect(text).not.toMatch(/\bBuffer\b|\bprocess\b|\brequire\(|node:|\beval\(|new Function/)
  })

  it('are served as scripts; what is none of them is not found', async () => {
    const world = createWorld()
    const answer = await world.request('GET', '/assets/verify/worker.js')
    expect([answer.status, answer.headers.get('Content-Type')]).toEqual([200, 'text/javascript; charset=utf-8'])
    expect(await answer.text()).toBe(modules.get('worker.js')!.body)
    expect((await world.request('GET', '/assets/verify/protocol/platform/node.js')).status).toBe(404)
    expect((await world.request('GET', '/assets/verify/../../../package.json')).status).toBe(404)
  })

  it.each(reveals)('verify the Reveal of the vectors: $title', async ({ profile, cbor, serial }) => {
    const { verifyReveal, backend } = await load<typeof Portable>('index.js')
    const options = { profile: JSON.parse(profile) as Record<string, unknown> }
    expect(backend).toBe('bigint')
    expect(await verifyReveal(fromHex(cbor), options)).toMatchObject({ valid: true, value: { serial } })
    const changed = fromHex(cbor)
    changed[changed.length - 5]! ^= 1
    expect((await verifyReveal(changed, options)).valid).toBe(false)
  })

  it('judge signatures as the strict rule says, on the edge cases too', async () => {
    const { verifyStrict } = await load<typeof Ed25519>('protocol/crypto/ed25519.js')
    const verdicts = speccheck.map(({ message, pub_key, signature }) =>
      verifyStrict(fromHex(signature), fromHex(message), fromHex(pub_key))
    )
    expect(verdicts).toEqual(strict.speccheck.map(({ valid }) => valid))
    const wrong = wycheproof.testGroups.flatMap(({ publicKey, tests }) =>
      tests
        .filter(
          ({ msg, sig, result }) =>
            verifyStrict(fromHex(sig), fromHex(msg), fromHex(publicKey.pk)) !== (result === 'valid')
        )
        .map(({ tcId }) => tcId)
    )
    expect(wrong).toEqual([])
  })

  it('answer messages in a worker', async () => {
    const answers: { id: number; result?: { valid: boolean }; error?: string; progress?: unknown }[] = []
    const listeners: ((event: { data: unknown }) => void)[] = []
    const scope = globalThis as unknown as Record<string, unknown>
    const before = [scope['postMessage'], scope['addEventListener']]
    try {
      scope['addEventListener'] = (_: string, listener: (event: { data: unknown }) => void) => listeners.push(listener)
      const { promise, resolve } = Promise.withResolvers<undefined>()
      scope['postMessage'] = (message: (typeof answers)[number]) => {
        answers.push(message)
        if (answers.filter(({ progress }) => progress === undefined).length === 2) resolve(undefined)
      }
      await load('worker.js')
      const [{ profile, cbor }] = reveals as [(typeof reveals)[number]]
      listeners[0]!({
        data: { id: 1, kind: 'reveal', profile: JSON.parse(profile) as unknown, reveal: fromHex(cbor) }
      })
      listeners[0]!({ data: { id: 2, kind: 'zone', profile: 'nowhere', zone: { records: {} } } })
      await promise
    } finally {
      ;[scope['postMessage'], scope['addEventListener']] = before
    }
    const of = (wanted: number) => answers.filter(({ id }) => id === wanted)
    expect(of(1).at(-1)).toMatchObject({ result: { valid: true } })
    expect(
      of(1)
        .slice(0, -1)
        .map(({ progress }) => progress)
    ).toEqual([
      { rule: 'pulse', done: 0, of: 1 },
      { rule: 'proof', done: 0, of: 1 }
    ])
    expect(of(2)).toMatchObject([{ error: expect.stringContaining('nowhere') as string }])
  })

  it('are the sources as they are', () => {
    const source = readFileSync(join(import.meta.dirname, '../../src/vdf/form.ts'), 'utf8')
    const served = modules.get('vdf/form.js')!.body
    expect(served.split('\n')).toHaveLength(source.split('\n').length)
  })
})
