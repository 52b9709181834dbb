// Which declarations of dist a user of the library can reach, and which packages they name.
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const IMPORT = /(?:from|import)\s*\(?\s*['"]([^'"]+)['"]/g

function entries(value) {
  if (typeof value === 'string') return value.endsWith('.d.ts') ? [value] : []
  return value === null || typeof value !== 'object' ? [] : Object.values(value).flatMap(entries)
}

/** `@scope/name/sub` -> `@scope/name`. */
function packageOf(specifier) {
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/')
}

/**
 * @param root folder of the package
 * @param manifest its package.json, whose `exports` and `types` are where users begin
 */
export function reachableTypes(root, manifest) {
  const files = new Set()
  const packages = new Set()
  const visit = (file) => {
    if (files.has(file) || !existsSync(file)) return
    files.add(file)
    for (const [, specifier] of readFileSync(file, 'utf8').matchAll(IMPORT)) {
      if (specifier.startsWith('.')) visit(join(dirname(file), specifier.replace(/\.[jt]s$/, '.d.ts')))
      else if (!specifier.startsWith('node:')) packages.add(packageOf(specifier))
    }
  }
  for (const entry of entries([manifest.exports ?? {}, manifest.types ?? ''])) visit(join(root, entry))
  return { files, packages: [...packages].sort() }
}
