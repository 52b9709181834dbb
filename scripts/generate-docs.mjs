// Writes what is made from the sources: docs/errors.md, docs/operate/configuration.md, the table of processors in
// docs/performance.md. Needs Node 22.18 or newer, which runs TypeScript by itself.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { renderErrorReference } from '../src/api/errors/reference.ts'
import { renderConfiguration } from './documents/configuration.ts'
import { withProcessors } from './documents/processors.ts'

const docs = new URL('../docs/', import.meta.url)
mkdirSync(new URL('operate/', docs), { recursive: true })
writeFileSync(new URL('errors.md', docs), renderErrorReference())
writeFileSync(new URL('operate/configuration.md', docs), renderConfiguration())
const performance = new URL('performance.md', docs)
writeFileSync(performance, withProcessors(readFileSync(performance, 'utf8')))
process.stdout.write('docs/errors.md\ndocs/operate/configuration.md\ndocs/performance.md (processors)\n')
