#!/usr/bin/env node
/** chronymd, the daemon. Only checks the Node version here: older ones fail while loading the imports that follow. */
import { keepCompiledCode } from '../util/compile-cache.ts'
import { requireNode } from '../util/node-version.ts'

requireNode(1)
keepCompiledCode()
const { runChronymd } = await import('./chronymd.ts')
process.exitCode = await runChronymd(process.argv.slice(2))
