// After tsc: what dist/ needs besides compiled TypeScript, the files that the dashboard serves and the manual pages.
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './toolchain.mjs'

cpSync(join(ROOT, 'src/web/assets'), join(ROOT, 'dist/web/assets'), { recursive: true })
await import('./manual-pages/write.ts')
