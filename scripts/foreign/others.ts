/** age, chiavdf and h2spec. */
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { createSecureServer } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chronym, withDaemon } from './daemon.ts'
import { type Outcome, outcome } from './outcome.ts'
import { said } from './said.ts'
import { programs, SOURCES } from './sources.ts'

export async function ageFiles(): Promise<Outcome[]> {
  return withDaemon(async ({ directory, chronym }) => {
    const at = (name: string): string => join(directory, name)
    await said('age-keygen', ['-o', at('key')])
    await said('age-keygen', ['-o', at('other')])
    const recipient = /age1\w+/u.exec(readFileSync(at('key'), 'utf8'))![0]
    const kept = await chronym('backup', '--recipient', recipient, at('backup.age'))
    const open = (key: string, file: string): Promise<string> =>
      said('age', ['-d', '-o', at('opened'), '-i', at(key), at(file)])
    const opened = await open('key', 'backup.age')
    const sealed = readFileSync(at('backup.age'))
    sealed[sealed.length - 1]! ^= 1
    writeFileSync(at('changed.age'), sealed)
    const [changed, byOther] = [await open('key', 'changed.age'), await open('other', 'backup.age')]
    const [phrase, ours, theirs] = ['passphrase', 'phrase.age', 'pyrage.age'].map(at) as [string, string, string]
    writeFileSync(phrase, 'correct horse battery staple ten\n')
    const sealedByOurs = await chronym('backup', '--passphrase-file', phrase, ours)
    const python = join(programs(SOURCES['pyrage']!), 'python')
    const rage = await said(python, ['-c', PYRAGE, at('key'), at('backup.age'), phrase, ours, theirs])
    const checked = await chronym('backup', 'check', '--passphrase-file', phrase, theirs)
    return [
      outcome(
        'age opens a backup for its recipient',
        opened === '' && readFileSync(at('opened')).length > 0,
        kept + opened
      ),
      outcome('age refuses a backup with a changed octet', changed.includes('failed to decrypt'), changed),
      outcome('age refuses it with another key', byOther.includes('no identity matched'), byOther),
      outcome(
        "rage's library opens backups for a recipient and by a passphrase",
        rage.trim() === 'True',
        rage + sealedByOurs
      ),
      outcome('ours takes what it seals by a passphrase', checked.includes('complete'), checked)
    ]
  })
}

/** pyrage is the Rust library of rage for Python. */
const PYRAGE = `
import pyrage, sys
key, for_key, phrase, ours = [open(path, "rb").read() for path in sys.argv[1:5]]
identity = pyrage.x25519.Identity.from_str(key.decode().strip().split("\\n")[-1])
phrase = phrase.decode().strip()
opened = pyrage.decrypt(for_key, [identity])
container = pyrage.passphrase.decrypt(ours, phrase)
open(sys.argv[5], "wb").write(pyrage.passphrase.encrypt(container, phrase))
print(len(opened) > 0 and len(container) > 0)
`

const CHIAVDF = `
import chiavdf, json, sys
seed, bits, iterations, ours = bytes.fromhex(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
start = bytes([8]) + bytes(99)
discriminant = chiavdf.create_discriminant(seed, bits)
proof = chiavdf.prove(seed, start, bits, iterations, "")
whole = bytes.fromhex(ours)
verify = lambda squarings: chiavdf.verify_n_wesolowski(discriminant, start, whole, squarings, bits, 0)
print(json.dumps({"proof": proof.hex(), "takes": verify(iterations), "refuses": not verify(iterations + 1)}))
`

/** Seeds of different lengths, sizes of other networks, and few squarings as well as many. */
const EVALUATIONS = [
  ['aabb', 512, 1],
  ['00ff', 512, 1000],
  ['0123456789abcdef', 1024, 5000],
  ['c0ffee'.repeat(10), 768, 2345]
] as const

export async function proofs(): Promise<Outcome[]> {
  const python = join(programs(SOURCES['chiavdf']!), 'python')
  const directory = mkdtempSync(join(tmpdir(), 'foreign-'))
  const outcomes: Outcome[] = []
  for (const [seed, bits, iterations] of EVALUATIONS) {
    const words = ['--seed', seed, '--bits', String(bits), '--iterations', String(iterations)]
    const ours = (await chronym(['--no-json', 'vdf', 'prove', ...words], directory)).trim()
    const text = await said(python, ['-c', CHIAVDF, seed, String(bits), String(iterations), ours])
    const title = `${iterations} squarings at ${bits} bits`
    if (!text.startsWith('{')) return [...outcomes, outcome(title, false, `${ours}\n${text}`)]
    const { proof, takes, refuses } = JSON.parse(text) as { proof: string; takes: boolean; refuses: boolean }
    const verdict = await chronym(['--no-json', 'vdf', 'verify', ...words, '--proof', proof], directory)
    outcomes.push(
      outcome(`${title}: the same octets`, proof === ours, `${proof}\n${ours}`),
      outcome(`${title}: chiavdf takes ours, and not for one squaring more`, takes && refuses, text),
      outcome(`${title}: ours takes chiavdf's`, /\bvalid/u.test(verdict) && !verdict.includes('not valid'), verdict)
    )
  }
  return outcomes
}

/** Cases that a server fails, and the line that counts them. */
async function h2specOf(port: number, path: string): Promise<{ failed: Set<string>; counted: string; text: string }> {
  const args = ['-h', '127.0.0.1', '-p', String(port), '-t', '-k', '-P', path, '-o', '5']
  const text = await said(join(programs(SOURCES['h2spec']!), 'h2spec'), args)
  const failed = [...text.matchAll(/^\s+× (?<what>.+)$/gmu)].map(({ groups }) => groups!['what']!)
  return { failed: new Set(failed), counted: /\d+ tests, \d+ passed/u.exec(text)?.[0] ?? 'no test ran', text }
}

/** Our server takes HTTP/2 from Node. What a server of Node without any code of ours fails too is Node's. */
export async function h2spec(): Promise<Outcome[]> {
  const directory = mkdtempSync(join(tmpdir(), 'foreign-'))
  const [key, certificate] = [join(directory, 'key.pem'), join(directory, 'certificate.pem')]
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  writeFileSync(key, privateKey.export({ type: 'pkcs8', format: 'pem' }))
  await said('openssl', ['req', '-x509', '-key', key, '-subj', '/CN=localhost', '-days', '2', '-out', certificate])
  const bare = createSecureServer({ key: readFileSync(key), cert: readFileSync(certificate) }, (_request, response) =>
    response.end('ok')
  )
  bare.on('sessionError', () => undefined)
  await once(bare.listen(0, '127.0.0.1'), 'listening')
  const nodes = await h2specOf((bare.address() as AddressInfo).port, '/')
  bare.close()
  const port = 20_000 + Math.floor(Math.random() * 10_000)
  const tls = ['--dns-tls-cert', certificate, '--dns-tls-key', key, '--dns-https-listen', `127.0.0.1:${port}`]
  return withDaemon(async () => {
    const { failed, counted, text } = await h2specOf(port, '/dns-query')
    const ours = [...failed].filter((what) => !nodes.failed.has(what))
    const title = `${counted} (a server of Node alone: ${nodes.counted})`
    return [outcome(title, counted.startsWith('145') && ours.length === 0, `${ours.join('\n')}\n${text}`)]
  }, tls)
}
