/**
 * Which modules of a crate use which: read from `use` lines and paths, without a compiler. Modules of tests are left
 * out.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Path of a module ("form::codec", "" for the root) -> paths of the modules whose items it uses. */
type ModuleGraph = Map<string, Set<string>>

/** The graph of the crate whose sources are below `folder`. */
export function moduleGraph(folder: string): ModuleGraph {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.rs'))
  return graphOf(new Map(files.map((file) => [modulePath(file), readFileSync(join(folder, file), 'utf8')])))
}

/**
 * The graph of modules, given path and source of each. A name that a module re-exports counts for the module it comes
 * from.
 */
export function graphOf(sources: ReadonlyMap<string, string>): ModuleGraph {
  const codes = new Map(
    [...sources]
      .filter(([path]) => !path.split('::').includes('tests'))
      .map(([path, source]) => [path, withoutTests(source)])
  )
  const exports = new Map([...codes].map(([path, code]) => [path, reexports(code, path, codes)]))
  const resolve = (path: readonly string[]): string => {
    let at = ''
    for (const name of path) {
      const child = childPath(at, name)
      const origin = exports.get(at)?.get(name)
      if (codes.has(child)) at = child
      else if (origin !== undefined) return resolve(origin)
      else break
    }
    return at
  }
  return new Map(
    [...codes].map(([path, code]) => {
      const used = paths(code)
        .map((each) => absolute(each, path, codes))
        .filter((each) => each !== undefined)
        .map(resolve)
      return [path, new Set(used.filter((each) => each !== path))]
    })
  )
}

/**
 * The same edges between the children of each module, whose subtrees then count as one: parent -> graph of its
 * children.
 */
export function siblingGraphs(graph: ModuleGraph): Map<string, ModuleGraph> {
  const siblings = new Map<string, ModuleGraph>()
  for (const [from, tos] of graph) {
    for (const to of tos) {
      const [a, b] = [from.split('::'), to.split('::')]
      const shared = a.findIndex((name, index) => name !== b[index])
      if (shared === -1 || shared >= b.length) continue
      const children = siblings.get(a.slice(0, shared).join('::')) ?? new Map<string, Set<string>>()
      siblings.set(a.slice(0, shared).join('::'), children)
      for (const child of [a[shared]!, b[shared]!]) if (!children.has(child)) children.set(child, new Set())
      children.get(a[shared]!)!.add(b[shared]!)
    }
  }
  return siblings
}

function modulePath(file: string): string {
  const path = file.replace(/\.rs$/, '').split(/[\\/]/).join('::')
  return path === 'lib' ? '' : path
}

function childPath(parent: string, name: string): string {
  return parent === '' ? name : `${parent}::${name}`
}

/** Without comments and without modules that only tests have. */
function withoutTests(source: string): string {
  let code = source.replace(/\/\/.*/g, '')
  for (;;) {
    const start = /#\[cfg\(test\)\]\s*mod \w+ \{/.exec(code)
    if (start === null) return code
    let [end, depth] = [start.index + start[0].length, 1]
    for (; depth > 0 && end < code.length; end++) depth += code[end] === '{' ? 1 : code[end] === '}' ? -1 : 0
    code = code.slice(0, start.index) + code.slice(end)
  }
}

/** Every path in the code as it is written, those of `use` lines spread out. */
function paths(code: string): string[][] {
  const uses = [...code.matchAll(/\buse ([^;]+);/g)].flatMap(([, tree]) => spread(tree!))
  const inline = [...code.replace(/\buse [^;]+;|\bpub\(in [^)]+\)/g, '').matchAll(/(?<![\w:])(?:\w+::)+\w+/g)].map(
    ([path]) => path
  )
  return [...uses, ...inline].map((path) => path.split('::'))
}

/** `a::{b, c::{d, e}}` as `a::b`, `a::c::d` and `a::c::e`. */
function spread(tree: string): string[] {
  const group = /^([\w:]*?)\{(.*)\}$/s.exec(tree.trim())
  if (group === null) return [tree.trim().replace(/ as .*/, '')]
  const items: string[] = []
  let [item, depth] = ['', 0]
  for (const character of `${group[2]!},`) {
    depth += character === '{' ? 1 : character === '}' ? -1 : 0
    if (character !== ',' || depth > 0) item += character
    else [, item] = [items.push(item), '']
  }
  return items.filter((each) => each.trim() !== '').flatMap((each) => spread(each).map((path) => group[1]! + path))
}

/** From the crate's root; undefined for a path that leads out of the crate. */
function absolute(path: readonly string[], from: string, modules: ReadonlyMap<string, string>): string[] | undefined {
  const here = from === '' ? [] : from.split('::')
  const supers = path.findIndex((name) => name !== 'super')
  if (path[0] === 'crate') return path.slice(1)
  if (path[0] === 'self') return [...here, ...path.slice(1)]
  if (supers > 0) return [...here.slice(0, here.length - supers), ...path.slice(supers)]
  return modules.has(childPath(from, path[0]!)) ? [...here, ...path] : undefined
}

/** Name -> the path it is re-exported from. */
function reexports(code: string, module: string, modules: ReadonlyMap<string, string>): Map<string, string[]> {
  const trees = [...code.matchAll(/\bpub(?:\([^)]*\))? use ([^;]+);/g)].flatMap(([, tree]) => spread(tree!))
  return new Map(
    trees.flatMap((tree) => {
      const origin = absolute(tree.split('::'), module, modules)
      return origin === undefined ? [] : [[origin.at(-1)!, origin] as const]
    })
  )
}
