// After tsc: what dist/ needs besides compiled TypeScript, the dashboard's page and styles, and the manual pages.
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './toolchain.mjs'

cpSync(join(ROOT, 'src/web/assets'), join(ROOT, 'dist/web/assets'), {
  recursive: true,
  filter: (file) => !/\.(?:ts|json)$/.test(file)
})
const { writeManualPages } = await import('./manual-pages.ts')
writeManualPages()
