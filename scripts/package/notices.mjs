// The licences of the crates that an addon is linked from. BSD, ISC, MIT and Zlib want their texts beside the binary.
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

const LICENCE_FILE = /^(?:licen[cs]e|copying|copyright|notice)/i
/** Beside the text of the licence that we choose. */
const NOTICE_FILE = /^(?:copyright|notice)/i
/** Texts of repositories whose crates carry none. */
const ELSEWHERE = { 'https://github.com/napi-rs/napi-rs': join(import.meta.dirname, 'licences', 'napi-rs') }

function answerOf(command, args, cwd) {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, encoding: 'utf8', maxBuffer: 2 ** 28 })
  if (status !== 0) throw new Error(`${command} ${args[0]} failed: ${error?.message ?? stderr}`)
  return stdout.trim()
}

/** Crates whose code is in the addon for a target of Rust: no build scripts, no macros, none of ours. */
export function linkedCrates(root, rustTarget) {
  const args = ['metadata', '--locked', '--format-version', '1', '--filter-platform', rustTarget]
  const { packages, resolve } = JSON.parse(answerOf('cargo', args, root))
  const packageOf = new Map(packages.map((each) => [each.id, each]))
  const depsOf = new Map(resolve.nodes.map(({ id, deps }) => [id, deps]))
  const linked = new Set()
  const open = [packages.find(({ name }) => name === 'chronym-node').id]
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    const isMacro = packageOf.get(id).targets.some(({ kind }) => kind.includes('proc-macro'))
    if (isMacro || linked.has(id)) continue
    linked.add(id)
    for (const { pkg, dep_kinds: kinds } of depsOf.get(id)) if (kinds.some(({ kind }) => kind === null)) open.push(pkg)
  }
  return [...linked].map((id) => packageOf.get(id)).filter(({ source }) => source !== null)
}

/** The texts of one crate. If it may be had under the MIT licence, that one. Throws for a crate without any. */
function textsOf({ name, version, license, repository, manifest_path: manifest }) {
  const folder = dirname(manifest)
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) =>
    LICENCE_FILE.test(basename(path))
  )
  const isMit = files.includes('LICENSE-MIT') && /\bMIT\b/.test(license) && !license.includes(' AND ')
  const chosen = isMit ? files.filter((path) => path === 'LICENSE-MIT' || NOTICE_FILE.test(path)) : files
  if (chosen.length > 0) return chosen.toSorted().map((path) => readFileSync(join(folder, path), 'utf8').trim())
  const text = ELSEWHERE[repository]
  if (text === undefined)
    throw new Error(
      `crate ${name} ${version} (${license}) has no licence file: add the text of ${repository} to ${import.meta.filename}`
    )
  return [readFileSync(text, 'utf8').trim()]
}

/** Each text once, below the crates that have it. */
export function noticesOf(crates) {
  const holders = new Map()
  for (const crate of crates.toSorted((a, b) => (a.name < b.name ? -1 : 1)))
    for (const text of textsOf(crate))
      holders.set(text, [...(holders.get(text) ?? []), `${crate.name} ${crate.version} (${crate.license})`])
  const parts = [...holders].map(([text, names]) => `${'='.repeat(80)}\n${names.join('\n')}\n\n${text}\n`)
  return `The addon of chronym is linked from these crates. Their authors ask for these texts.\n\n${parts.join('\n')}`
}

/** The notices of Rust's own library, which the compiler brings along: HTML. */
export function libraryNotices(root) {
  return join(answerOf('rustc', ['--print', 'sysroot'], root), 'share', 'doc', 'rust', 'COPYRIGHT-library.html')
}
