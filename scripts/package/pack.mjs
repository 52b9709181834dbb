// `npm run pack [-- OUT]`: the tarballs of the main package and of this platform's addon, as a release makes them. OUT
// is npm/ unless named. SHA256SUMS there is for `sha256sum --check`: docs/operate/install.md.
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { addonTarget } from '../native-target.mjs'
import { ROOT } from '../toolchain.mjs'
import { sha256 } from './checksums.mjs'

function run(command, args, cwd = ROOT) {
  const { status } = spawnSync(command, args, { cwd, stdio: 'inherit', shell: process.platform === 'win32' })
  if (status !== 0) process.exit(status ?? 1)
}

const out = resolve(process.argv[2] ?? join(ROOT, 'npm'))
const packages = join(ROOT, 'npm')
const target = addonTarget()
mkdirSync(out, { recursive: true })
const tarballs = () => readdirSync(out).filter((file) => /^chronym-.*\.tgz$/.test(file))
// `npm install ./chronym-*.tgz` takes what is there: no other version in the folder that is ours.
if (out === packages) for (const former of tarballs()) rmSync(join(out, former))
run(process.execPath, [join('scripts', 'package-native.mjs'), 'native', packages, '--only', target])
run('npm', ['pack', '--pack-destination', out, join(packages, `native-${target}`)])
run('npm', ['pack', '--pack-destination', out])
const sums = tarballs().map((file) => `${sha256(join(out, file))}  ${file}\n`)
writeFileSync(join(out, 'SHA256SUMS'), sums.join(''))
process.stdout.write(sums.join(''))
