#!/usr/bin/env node
/** chronymd, the daemon. As in src/cli/main.ts, nothing comes before the check of Node's version. */
import { requireNode } from '../util/node-version.ts'

requireNode(1)
const { keepCompiledCode } = await import('../util/compile-cache.ts')
keepCompiledCode()
const { runChronymd } = await import('./chronymd.ts')
process.exitCode = await runChronymd(process.argv.slice(2))
