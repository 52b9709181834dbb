// What `npm run NAME -- --help` prints: the comment that the script begins with, which says how it is called.
import { readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '..')

/** `about`: the words, or the path of the script that begins with them. */
export function usage(name, about) {
  const call = name === 'test' || name === 'start' ? `npm ${name}` : `npm run ${name}`
  const words = /\.(?:ts|mjs)$/.test(about) ? firstComment(readFileSync(join(ROOT, about), 'utf8')) : about
  return `${words.includes(call) ? '' : `${call}\n\n`}${words}\n`
}

/** A block or lines at the head of a file, without what makes them a comment. */
function firstComment(source) {
  const [, block] = /^\/\*\*([\s\S]*?)\*\//.exec(source) ?? []
  const lines = (block ?? /^(?:\/\/.*\n)*/.exec(source)[0]).split('\n')
  return lines
    .map((line) => line.replace(block === undefined ? /^\/\/ ?/ : /^ \* ?/, '').trimEnd())
    .join('\n')
    .trim()
}
