// node scripts/generate-docs.mjs
//
// Writes what is made from the sources: in docs/reference errors.md, configuration.md, size.md and the table of
// processors in performance.md. Needs Node 22.18 or newer, which runs TypeScript by itself.
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { renderErrorReference } from '../src/api/errors/reference.ts'
import { renderConfiguration } from './documents/configuration.ts'
import { withProcessors } from './documents/processors.ts'
import { renderSize } from './documents/size.ts'

const reference = new URL('../docs/reference/', import.meta.url)
writeFileSync(new URL('errors.md', reference), renderErrorReference())
writeFileSync(new URL('configuration.md', reference), renderConfiguration())
const performance = new URL('performance.md', reference)
writeFileSync(performance, withProcessors(readFileSync(performance, 'utf8')))
writeFileSync(new URL('size.md', reference), renderSize(fileURLToPath(new URL('..', import.meta.url))))
process.stdout.write('docs/reference: errors.md, configuration.md, performance.md (processors), size.md\n')
