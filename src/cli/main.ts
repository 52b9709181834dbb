#!/usr/bin/env node
/** Entry of `chronym`: checks the version of Node before anything that needs it is loaded, then runs. */

/** As `engines` in package.json: libp2p and the store need it. */
const MINIMUM_NODE_MAJOR = 22
/** Exit code of a fault (see exit-codes.ts, which an older Node could not load). */
const FAULT = 8

if (Number(process.versions.node.split('.')[0]) < MINIMUM_NODE_MAJOR) {
  process.stderr.write(`chronym needs Node ${MINIMUM_NODE_MAJOR} or newer; this is ${process.versions.node}.\n`)
  process.exit(FAULT)
}

// A reader that has seen enough (`chronym tasks | head`) is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit()
  throw error
})

const { runCli } = await import('./run.ts')
const { interruption } = await import('./interruption.ts')
process.exitCode = await runCli(process.argv.slice(2), {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  interruption
})
export {}
