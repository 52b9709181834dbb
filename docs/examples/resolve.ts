/** node resolve.ts alice.chronym: the records of a name, from the daemon of this machine. No token is needed. */
import { createClient, ProblemError } from 'chronym/client'

const [name = 'alice.chronym'] = process.argv.slice(2)
const client = createClient({ baseUrl: process.env['CHRONYM_API'], timeoutMs: 30_000 })

try {
  const { zone, source } = await client.zone(name)
  console.log(`${name}, serial ${zone.serial}, from the ${source}`)
  for (const [label, records] of Object.entries(zone.records))
    for (const { type, value } of records) console.log(label, type, value)
} catch (error) {
  // each code is explained in docs/reference/errors.md
  if (!(error instanceof ProblemError) || error.code !== 'SVC-RES-002') throw error
  console.log(`nobody owns ${name}`)
}
