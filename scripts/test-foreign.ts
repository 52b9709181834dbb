/**
 * npm run test:foreign -- [--install] [SUITE ...]
 *
 * Runs the software of others that scripts/foreign/suites.ts lists against this checkout. What is missing is named with
 * the command that installs it; `--install` and CI=true install it: Debian's packages by apt-get, the others below target/.
 */
import { parseArgs } from 'node:util'
import { install, installLine, isThere, SOURCES } from './foreign/sources.ts'
import { NOT_RUN, SUITES } from './foreign/suites.ts'

const { values, positionals } = parseArgs({ options: { install: { type: 'boolean' } }, allowPositionals: true })
const mayInstall = values.install === true || process.env['CI'] === 'true'

const unknown = positionals.filter((name) => !SUITES.some((suite) => suite.name === name))
if (unknown.length > 0) {
  process.stderr.write(`no suite ${unknown.join(', ')}; there are ${SUITES.map(({ name }) => name).join(', ')}\n`)
  process.exit(2)
}

let [passed, failed] = [0, 0]
for (const { name, needs, shows, run } of SUITES) {
  if (positionals.length > 0 && !positionals.includes(name)) continue
  process.stdout.write(`\n${name}: ${shows}\n`)
  try {
    const missing = needs.map((need) => SOURCES[need]!).filter((source) => !isThere(source))
    if (missing.length > 0 && !mayInstall)
      throw new Error(
        `not installed (--install does it):\n${missing.map((source) => `    ${installLine(source)}`).join('\n')}`
      )
    for (const source of missing) install(source)
    for (const outcome of await run()) {
      if (outcome.passed) passed++
      else failed++
      process.stdout.write(`  ${outcome.passed ? 'passed' : 'FAILED'}  ${outcome.title}\n`)
      if (!outcome.passed) process.stdout.write(`${outcome.detail.replaceAll(/^/gmu, '    ')}\n`)
    }
  } catch (error) {
    failed++
    process.stdout.write(`  FAILED  ${error instanceof Error ? error.message : String(error)}\n`)
  }
}
for (const [name, why] of Object.entries(NOT_RUN)) process.stdout.write(`\nnot run: ${name}: ${why}`)
process.stdout.write(`\n\n${passed} passed, ${failed} failed\n`)
process.exitCode = passed > 0 && failed === 0 ? 0 : 1
