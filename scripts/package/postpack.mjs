// After packing: package.json is the checkout's again.
import { existsSync, renameSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '../..')
const KEPT_MANIFEST = join(ROOT, 'package.json.kept')
if (existsSync(KEPT_MANIFEST)) renameSync(KEPT_MANIFEST, join(ROOT, 'package.json'))
