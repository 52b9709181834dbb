// Writes the documents that are made from the sources: docs/errors.md, docs/operate/configuration.md. Needs Node 22.18
// or newer, which runs TypeScript by itself.
import { mkdirSync, writeFileSync } from 'node:fs'
import { renderErrorReference } from '../src/api/errors/reference.ts'
import { renderConfiguration } from './documents/configuration.ts'

const docs = new URL('../docs/', import.meta.url)
mkdirSync(new URL('operate/', docs), { recursive: true })
writeFileSync(new URL('errors.md', docs), renderErrorReference())
writeFileSync(new URL('operate/configuration.md', docs), renderConfiguration())
process.stdout.write('docs/errors.md\ndocs/operate/configuration.md\n')
