/**
 * `node --import scripts/own-package.ts`: lets a script of this checkout import `chronym/...` as users do. Each entry of
 * package.json's `exports` leads to the source of what it names in the build.
 */
import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'

const ROOT = new URL('..', import.meta.url)
const { exports } = JSON.parse(readFileSync(new URL('package.json', ROOT), 'utf8')) as {
  exports: Record<string, string | { default: string }>
}
const sources = new Map(
  Object.entries(exports).flatMap(([entry, target]) =>
    typeof target === 'string'
      ? []
      : [[`chronym${entry.slice(1)}`, target.default.replace('./dist/', 'src/').replace(/\.js$/, '.ts')]]
  )
)

registerHooks({
  resolve: (specifier, context, next) => {
    const source = sources.get(specifier)
    return next(source === undefined ? specifier : new URL(source, ROOT).href, context)
  }
})
