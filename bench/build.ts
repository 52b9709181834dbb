/** Builds what is measured. Each build has its own target folder under target/bench/, which later runs reuse. */
import { spawn } from 'node:child_process'
import { join, resolve } from 'node:path'
import { Unavailable } from './unavailable.ts'

const ROOT = resolve(import.meta.dirname, '..')

export interface Package {
  /** Of a Cargo package, from the root of the checkout. */
  folder: string
  /** Names the target folder, and the binary where `bin` does not. */
  name: string
  bin?: string
  /** Names the target folder. */
  variant: string
  /** Instead of those of the folder's own .cargo/config.toml. */
  rustflags?: string
  /** What building it takes besides Rust. */
  cure?: string
}

/** The binary's path. Throws Unavailable with what cargo said. */
export async function build({ folder, name, bin = name, variant, rustflags, cure }: Package): Promise<string> {
  const target = join(ROOT, 'target', 'bench', `${name}-${variant}`)
  process.stderr.write(`• ${folder}, ${bin}, ${variant}: building; minutes the first time\n`)
  // The caller's own settings would build something else; spawn leaves undefined variables out.
  const env = { ...process.env, RUSTFLAGS: rustflags, CARGO_ENCODED_RUSTFLAGS: undefined, CARGO_TARGET_DIR: undefined }
  // The lock file of our side follows the workspace; those of the peers change only on purpose.
  const locked = folder.startsWith('bench/peers/') ? ['--locked'] : []
  const { status, output } = await cargo(
    ['build', '--release', '--bin', bin, ...locked, '--target-dir', target],
    join(ROOT, folder),
    env
  )
  if (status !== 0) throw new Unavailable(`${folder} can't be built. ${cure ?? ''} cargo said: ${gist(output)}`)
  return join(target, 'release', process.platform === 'win32' ? `${bin}.exe` : bin)
}

function cargo(args: string[], cwd: string, env: NodeJS.ProcessEnv): Promise<{ status: number; output: string }> {
  return new Promise((resolve) => {
    const child = spawn('cargo', args, { cwd, env, stdio: ['ignore', 'ignore', 'pipe'] })
    let output = ''
    child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()))
    child.on('error', (error) => resolve({ status: 1, output: error.message }))
    child.on('close', (status) => resolve({ status: status ?? 1, output }))
  })
}

/** The first lines that name the error. */
function gist(output: string): string {
  const lines = output
    .replaceAll(ROOT, '.')
    .split('\n')
    .map((line) => line.trim())
  const telling = lines.filter((line) =>
    /\berror\b|not found|could not find|unable to find|no usable|missing/i.test(line)
  )
  return (telling.length > 0 ? telling : lines).slice(0, 4).join('; ').slice(0, 500)
}
