// `npm start`, `npm test` and the rest: set up what is missing, then hand over to the right Node.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { ROOT, setUp } from './toolchain.mjs'
import { usage } from './usage.mjs'

const bin = (name, file) => join('node_modules', name, file)
const TYPESCRIPT = bin('typescript', 'bin/tsc')
const PRETTIER = bin('prettier', 'bin/prettier.cjs')

const PAGE = 'src/web/assets'
/** The page's first: what it has of the rest comes again, with declarations. */
const BUILD = [
  [TYPESCRIPT, '-p', PAGE, '--noEmit', 'false', '--rootDir', 'src', '--outDir', 'dist'],
  [TYPESCRIPT, '-p', 'tsconfig.build.json'],
  [TYPESCRIPT, '-p', 'tsconfig.types.json'],
  ['scripts/finish-build.mjs']
]

/** Each command: the scripts it runs, in order; the caller's arguments go to the last. */
const COMMANDS = {
  setup: [],
  // As the systemd unit and the image have it: docs/reference/performance.md, "An idle daemon".
  start: [['--disable-warning=ExperimentalWarning', '--max-semi-space-size=4', 'src/daemon/main.ts']],
  chronym: [['src/cli/main.ts']],
  demo: [['scripts/demo.ts']],
  test: [['scripts/test.mjs']],
  'test:full': [['scripts/test.mjs', '--full']],
  'test:long': [['scripts/test.mjs', '--long']],
  'test:crash': [['scripts/test-crash.ts']],
  'test:hostile': [['scripts/test.mjs', '--hostile']],
  'test:schema': [['scripts/test-schema.ts']],
  'test:foreign': [['scripts/test-foreign.ts']],
  'test:aarch64': [['scripts/test-aarch64.mjs']],
  fuzz: [['scripts/fuzz.mjs']],
  format: [[PRETTIER, '--write', '--log-level', 'warn', '.']],
  'format:check': [[PRETTIER, '--check', '.']],
  lint: [[bin('eslint', 'bin/eslint.js'), '.']],
  typecheck: ['.', PAGE, '__test__/web/assets'].map((folder) => [TYPESCRIPT, '-p', folder]),
  build: BUILD,
  prepack: [...BUILD, ['scripts/package/prepack.mjs']],
  postpack: [['scripts/package/postpack.mjs']],
  // The addon of a release: the checkout's own is built faster.
  pack: [['scripts/build-native.mjs', '--locked'], ['scripts/package/pack.mjs']],
  'test:install': [['scripts/test-install.ts']],
  'bench:vdf': [['bench/vdf.ts']],
  'bench:tasks': [['bench/tasks.ts']],
  'bench:network': [['bench/network.ts']],
  'bench:api': [['bench/api.ts']],
  'bench:farm': [['bench/farm.ts']],
  // The addon of a release: the checkout's own hardly optimises what answers DNS and speaks TLS.
  'bench:dns': [['scripts/build-native.mjs', '--locked'], ['bench/dns.ts']],
  'bench:https': [['scripts/build-native.mjs', '--locked'], ['bench/https.ts']],
  'lab:sim': [['lab/sim.ts']],
  'lab:wan': [['lab/wan.ts']],
  'lab:flood': [['lab/flood.ts']],
  'lab:garbage': [['lab/garbage.ts']],
  'lab:availability': [['lab/availability.ts']],
  'lab:dns': [['lab/dns.ts']],
  rehearse: [['scripts/rehearse.ts']],
  screenshots: [['scripts/screenshots.ts']]
}

/** What needs no packages to build or test with. */
const FOR_USE = ['start', 'chronym', 'demo']

/** Programs that answer --help themselves. */
const OWN_HELP = ['start', 'chronym', 'lab:sim', 'format', 'format:check', 'lint', 'typecheck']

/** Of a command without a script of its own. */
const ABOUT = {
  setup: 'Installs the packages and builds the Rust addon, where they are missing or old.',
  build: 'Builds dist/ for the package.'
}

/** How soon a command stops after its npm was killed. */
const ORPHAN_CHECK_MS = 200

/**
 * npm signals the shell between it and us, which dies without passing the signal on, even during the set-up: our child
 * would outlive it.
 */
const PARENT = process.ppid

const [name, ...rest] = process.argv.slice(2)
const steps = COMMANDS[name]
if (steps === undefined) {
  process.stderr.write(`chronym: unknown command "${name}"; one of ${Object.keys(COMMANDS).join(', ')}\n`)
  process.exit(2)
}

if (rest.includes('--help') && !OWN_HELP.includes(name)) {
  process.stdout.write(usage(name, ABOUT[name] ?? steps.at(-1)[0]))
  process.exit()
}

const { node, env } = await setUp(FOR_USE.includes(name))

function runStep(args) {
  return new Promise((resolve) => {
    const child = spawn(node, args, { cwd: ROOT, env, stdio: 'inherit' })
    // A terminal sends Ctrl-C to the whole group; a supervisor signals this process only. Pass both on and wait for the
    // child.
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
    const watch = setInterval(() => {
      if (process.ppid === PARENT) return
      clearInterval(watch)
      child.kill('SIGTERM')
    }, ORPHAN_CHECK_MS)
    child.on('exit', (code, signal) => {
      clearInterval(watch)
      resolve(signal === null ? (code ?? 1) : 1)
    })
  })
}

for (const [index, step] of steps.entries()) {
  const status = await runStep(index === steps.length - 1 ? [...step, ...rest] : step)
  if (status !== 0) process.exit(status)
}
