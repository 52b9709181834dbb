// Runs a WASI program, such as a test binary of crates/vdf built for wasm32-wasip1:
// `node scripts/wasi.mjs PROGRAM [ARGUMENTS]`. It sees the checkout, under its own path. Plain JavaScript without
// dependencies.
import { readFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { WASI } from 'node:wasi'

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..')
const [program, ...rest] = process.argv.slice(2)
const wasi = new WASI({ version: 'preview1', args: [program, ...rest], env: process.env, preopens: { [root]: root } })
const { instance } = await globalThis.WebAssembly.instantiate(await readFile(program), wasi.getImportObject())
process.exit(wasi.start(instance))
