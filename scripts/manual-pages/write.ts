/** Writes the manual pages to dist/man: the last step of the build. `SOURCE_DATE_EPOCH` sets their date. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { manualPages } from './pages.ts'

const folder = resolve(import.meta.dirname, '../../dist/man')
const epoch = process.env['SOURCE_DATE_EPOCH']
const date = epoch === undefined ? new Date() : new Date(Number(epoch) * 1000)

rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })
for (const [name, text] of manualPages(date.toISOString().slice(0, 10))) writeFileSync(join(folder, name), text)
