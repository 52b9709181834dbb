/**
 * node verify-offline.ts reveal.json main alice.chronym: is this record valid? `reveal.json` is what
 * `GET /api/resolve/alice.chronym` answered, from any daemon: no daemon and no network is asked here.
 */
import { readFileSync } from 'node:fs'
import { backend, verifyReveal, type BuiltInProfileId, type RevealJson } from 'chronym/verify'

const [file = 'reveal.json', network = 'main', name] = process.argv.slice(2)
const reveal = JSON.parse(readFileSync(file, 'utf8')) as RevealJson
const result = await verifyReveal(reveal, {
  profile: network as BuiltInProfileId,
  ...(name === undefined ? {} : { name })
})

for (const { passed, title, detail } of result.checks)
  console.log(passed === null ? '-' : passed ? 'ok' : 'FAILED', title, detail === '' ? '' : `(${detail})`)
console.log(result.valid ? `valid, checked by ${backend}` : `invalid: ${result.problem?.detail}`)
process.exitCode = result.valid ? 0 : 1
