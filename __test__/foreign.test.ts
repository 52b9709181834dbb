/** The list of `npm run test:foreign`, and the pages that say what it found. It runs in a command of its own. */
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { RESOLVERS } from '../scripts/foreign/resolvers.ts'
import { installLine, SOURCES } from '../scripts/foreign/sources.ts'
import { NOT_RUN, SUITES } from '../scripts/foreign/suites.ts'

const ROOT = resolve(import.meta.dirname, '..')
const [testing, dns] = ['docs/testing.md', 'docs/dns.md'].map((page) => readFileSync(join(ROOT, page), 'utf8')) as [
  string,
  string
]

const rowOf = (page: string, first: string): string[] | undefined =>
  page
    .split('\n')
    .find((line) => line.startsWith(`| ${first} |`))
    ?.split(' | ')
    .slice(1)
    .map((cell) => cell.replace(/ \|$/u, ''))

it.each(SUITES)('$name is in testing.md with its versions, and what is accepted and why', (suite) => {
  const [versions, shows, accepted] = rowOf(testing, suite.name)!
  expect([shows, accepted]).toEqual([suite.shows, suite.accepted])
  expect(versions!.split(', ').filter(Boolean)).toEqual(
    suite.needs.map((need) => `${need} ${SOURCES[need]!.version}`.replace(/\+incompatible$/u, ''))
  )
})

it.each(Object.entries(NOT_RUN))('%s is in testing.md with the reason why it is not run', (name, why) => {
  expect(testing).toContain(`- ${name}: ${why}`)
})

it.each(RESOLVERS)('$name opens in dns.md what it opens in its test', ({ name, reach: [without, with_] }) => {
  const [alias, delegated] = rowOf(dns.split('| a delegated name |')[1]!, name)!
  const opens = (isOpen: boolean, isOpenByForward: boolean): string =>
    isOpen ? 'opens' : isOpenByForward ? 'opens with `dns.forward`' : 'does not open'
  expect(alias).toBe(opens(!without.includes('out of'), !with_.includes('out of')))
  expect(delegated).toBe(opens(!without.includes('delegated'), !with_.includes('delegated')))
})

it('runs each suite once a week', () => {
  const workflow = readFileSync(join(ROOT, '.github/workflows/foreign.yml'), 'utf8')
  const named = [...workflow.matchAll(/npm run test:foreign -- (.+)$/gmu)].flatMap(([, names]) => names!.split(' '))
  expect(named.toSorted()).toEqual(SUITES.map(({ name }) => name).toSorted())
})

it('names a command for all that may be missing, with its version but for the packages of Debian', () => {
  for (const source of Object.values(SOURCES)) {
    const line = installLine(source)
    expect(line).toContain(source.name)
    if (source.kind !== 'debian') expect(line).toMatch(/[@=]+v?\d+\.\d+/u)
  }
})
