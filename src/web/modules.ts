/** Files as browsers load them, without a bundler: the types go at serving in a checkout, a build has none. */
import * as nodeModule from 'node:module'
import { posix } from 'node:path'
import { readTextFile } from '../util/utf8.ts'

export const SRC = new URL('..', import.meta.url)
/** `.ts` in a checkout, `.js` in a build: that of this file. */
export const EXTENSION = import.meta.url.slice(import.meta.url.lastIndexOf('.'))

export interface Asset {
  readonly path: string
  readonly type: string
  readonly body: string
}

/** A module before its types go. */
interface Module {
  readonly source: string
  readonly isTyped: boolean
}

/** The specifier of an import or export that begins a line and is not of types alone, or of `await import('./…')`. */
const SPECIFIER =
  /(^[ \t]*(?:import|export)\b(?!\s+type\b)[^'"`;()]*?\bfrom\s*|^[ \t]*import\s*|(?<=(?:=>|\bawait) )import\((?=['"]\.))(['"])([^'"\n]+)\2/gmu

/**
 * The entries and all that they import, by the paths of `pathOf`. `resolve` says what a specifier means, undefined
 * where it stays as it is.
 */
export function modulesOf(
  entries: readonly URL[],
  resolve: (specifier: string, from: URL) => URL | undefined,
  pathOf: (url: URL) => string
): ReadonlyMap<string, Module> {
  const modules = new Map<string, Module>()
  const left = [...entries]
  for (const url of left) {
    const path = pathOf(url)
    if (modules.has(path)) continue
    const source = withoutMap(readTextFile(url)).replace(
      SPECIFIER,
      (all, before: string, quote: string, specifier: string) => {
        const target = resolve(specifier, url)
        if (target === undefined) return all
        left.push(target)
        const relative = posix.relative(posix.dirname(path), pathOf(target))
        return `${before}${quote}${relative.startsWith('.') ? relative : `./${relative}`}${quote}`
      }
    )
    modules.set(path, { source, isTyped: url.pathname.endsWith('.ts') })
  }
  return modules
}

/** A script. Its types go when somebody asks for it: a start that nobody opens a page of needs no parser. */
export function script(path: string, { source, isTyped }: Module): Asset {
  let body: string | undefined
  return {
    path,
    type: 'text/javascript; charset=utf-8',
    get body() {
      return (body ??= isTyped ? nodeModule.stripTypeScriptTypes(source) : source)
    }
  }
}

/** Path below src without its extension, undefined for a file elsewhere. */
export const ownPath = ({ href }: URL): string | undefined =>
  href.startsWith(SRC.href) ? href.slice(SRC.href.length, -EXTENSION.length) : undefined

/** Maps are not served. */
export const withoutMap = (text: string): string => text.replace(/^\/\/# sourceMappingURL=.*$/mu, '')
