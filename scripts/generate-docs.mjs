// Writes what is made from the sources: docs/errors.md, docs/operate/configuration.md, the table of processors in
// docs/performance.md; and the list of manual pages in package.json. Needs Node 22.18 or newer, which runs TypeScript by itself.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { renderErrorReference } from '../src/api/errors/reference.ts'
import { renderConfiguration } from './documents/configuration.ts'
import { withProcessors } from './documents/processors.ts'
import { manualPages } from './manual-pages/pages.ts'

const docs = new URL('../docs/', import.meta.url)
mkdirSync(new URL('operate/', docs), { recursive: true })
writeFileSync(new URL('errors.md', docs), renderErrorReference())
writeFileSync(new URL('operate/configuration.md', docs), renderConfiguration())
const performance = new URL('performance.md', docs)
writeFileSync(performance, withProcessors(readFileSync(performance, 'utf8')))

const manifest = new URL('../package.json', import.meta.url)
// npm links what is listed; a member that is there keeps its place.
const man = [...manualPages('').keys()].sort().map((name) => `dist/man/${name}`)
writeFileSync(manifest, `${JSON.stringify({ ...JSON.parse(readFileSync(manifest, 'utf8')), man }, null, 2)}\n`)
process.stdout.write(
  'docs/errors.md\ndocs/operate/configuration.md\ndocs/performance.md (processors)\npackage.json (man)\n'
)
