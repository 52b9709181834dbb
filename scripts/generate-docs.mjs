// Writes the documents that are made from the sources: docs/errors.md. Needs Node 22.18 or newer, which runs TypeScript
// by itself.
import { mkdirSync, writeFileSync } from 'node:fs'
import { renderErrorReference } from '../src/api/errors/reference.ts'

const docs = new URL('../docs/', import.meta.url)
mkdirSync(docs, { recursive: true })
writeFileSync(new URL('errors.md', docs), renderErrorReference())
process.stdout.write('docs/errors.md\n')
