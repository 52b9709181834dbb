#!/usr/bin/env node
/**
 * Entry of `chronym`: checks the version of Node, then runs. An older Node fails to load whatever imports a name that
 * its modules lack, so nothing imported here needs any of them.
 */
import { requireNode } from '../util/node-version.ts'
import { EXIT } from './failures/failure.ts'

// Node would open a debugger, to all of this machine.
process.on('SIGUSR1', () => undefined)
requireNode(EXIT.fault)
const { keepCompiledCode } = await import('../util/compile-cache.ts')
keepCompiledCode()

// A reader that has seen enough (`chronym tasks | head`) is not a failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit()
  process.stderr.write(`chronym: the answer could not be written: ${error.message}\n`)
  process.exit(EXIT.fault)
})

const { runCli } = await import('./run.ts')
const { isStdoutCaptured } = await import('./terminal/captured.ts')
const { interruption } = await import('./failures/interruption.ts')
process.exitCode = await runCli(process.argv.slice(2), {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  isCaptured: isStdoutCaptured(),
  interruption
})
