// Before `npm pack` and `npm publish`, after the build: puts what the program runs on into dist/node_modules, leaves
// out declarations that nobody can import, and gives package.json the form that users get. postpack.mjs takes the last
// back. docs/packages.md has the reasons.
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundle } from './bundle.mjs'
import { readChecksums } from './checksums.mjs'
import { publishedManifest } from './manifest.mjs'
import { sqliteLock } from './sqlite-lock.mjs'
import { reachableTypes } from './types.mjs'

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '../..')
const MANIFEST = join(ROOT, 'package.json')
const KEPT_MANIFEST = join(ROOT, 'package.json.kept')

// A run that was cut off left the checkout's own beside it.
if (existsSync(KEPT_MANIFEST)) copyFileSync(KEPT_MANIFEST, MANIFEST)
const main = JSON.parse(readFileSync(MANIFEST, 'utf8'))
if (!existsSync(join(ROOT, 'dist/cli/main.js'))) {
  process.stderr.write('prepack: dist/ is not built. Run `npm run build` first.\n')
  process.exit(1)
}

rmSync(join(ROOT, 'dist/node_modules'), { recursive: true, force: true })
const { files, packages } = reachableTypes(ROOT, main)
for (const path of readdirSync(join(ROOT, 'dist'), { recursive: true, encoding: 'utf8' })) {
  const file = join(ROOT, 'dist', path)
  if (file.endsWith('.d.ts') && !files.has(file)) rmSync(file)
}
const bundled = bundle(ROOT, join(ROOT, 'dist/node_modules'), {
  names: Object.keys(main.dependencies),
  typed: packages.filter((name) => name in main.dependencies)
})
process.stderr.write(`\u2022 ${bundled.length} packages bundled\n`)

mkdirSync(join(ROOT, 'dist/sqlite'), { recursive: true })
const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'))
for (const [file, content] of Object.entries(sqliteLock(lock)))
  writeFileSync(join(ROOT, 'dist/sqlite', file), `${JSON.stringify(content, null, 2)}\n`)

copyFileSync(MANIFEST, KEPT_MANIFEST)
writeFileSync(MANIFEST, `${JSON.stringify(publishedManifest(main, readChecksums(ROOT)), null, 2)}\n`)
