// `npm run pack [-- OUT]`: the tarballs of the main package and of this platform's addon, as a release makes them. OUT
// is npm/ unless named. Two commands then install them elsewhere: docs/packages.md.
import { spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { addonTarget } from '../native-target.mjs'
import { ROOT } from '../toolchain.mjs'

function run(command, args, cwd = ROOT) {
  const { status } = spawnSync(command, args, { cwd, stdio: 'inherit', shell: process.platform === 'win32' })
  if (status !== 0) process.exit(status ?? 1)
}

const out = resolve(process.argv[2] ?? join(ROOT, 'npm'))
const packages = join(ROOT, 'npm')
const target = addonTarget()
mkdirSync(out, { recursive: true })
run(process.execPath, [join('scripts', 'package-native.mjs'), 'native', packages, '--only', target])
run('npm', ['pack', '--pack-destination', out, join(packages, `native-${target}`)])
run('npm', ['pack', '--pack-destination', out])
