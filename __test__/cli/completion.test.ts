/** Completion at the first TAB, in real shells on a terminal. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { Hono } from 'hono'
import { beforeAll, describe, expect, it } from 'vitest'
import { temporary } from '../temporary.ts'
import { taskView } from '../views/task.ts'
import { waitFor } from '../wait-for.ts'
import { cli, listen } from './harness.ts'

const has = (program: string): boolean => spawnSync(program, ['--version'], { stdio: 'ignore' }).status === 0

let directory: string
let env: NodeJS.ProcessEnv

/** Asked for names it gives one, and one that shows the question; all else it says. Colons and the like become dots. */
const CHRONYM = `#!/bin/sh
words=$(for word; do printf '%s,' "$word" | tr ' /:' '...'; done)
case "$*" in *'completion names') echo alice.chronym; echo "asked-$words" ;; *) echo "ran-$words" ;; esac
`

beforeAll(async () => {
  directory = temporary()
  for (const folder of ['bin', 'zsh', 'fish/completions', 'a place'])
    mkdirSync(join(directory, folder), { recursive: true })
  writeFileSync(join(directory, 'bin/chronym'), CHRONYM)
  chmodSync(join(directory, 'bin/chronym'), 0o755)
  const files = { bash: 'chronym.bash', zsh: 'zsh/_chronym', fish: 'fish/completions/chronym.fish' }
  for (const [shell, file] of Object.entries(files))
    writeFileSync(join(directory, file), `${(await cli(['completion', shell])).stdout}\n`)
  const PATH = [join(directory, 'bin'), process.env['PATH']].join(delimiter)
  env = { ...process.env, PATH, HOME: directory, XDG_CONFIG_HOME: directory, TERM: 'dumb' }
})

/** What the shell runs after one TAB and Enter, for each line typed. */
async function complete(shell: 'bash' | 'zsh', lines: readonly string[]): Promise<string[]> {
  const [command, begin] =
    shell === 'bash'
      ? ['bash --norc --noprofile -i', '. ./chronym.bash']
      : ['zsh -f -i', 'fpath=(./zsh $fpath); autoload -Uz compinit; compinit -u -D']
  const terminal = spawn('script', ['-qfec', command, '/dev/null'], { env, cwd: directory })
  let said = ''
  terminal.stdout.setEncoding('utf8').on('data', (text: string) => (said += text))
  const type = (text: string): void => void terminal.stdin.write(text)
  const ran: string[] = []
  type(`${begin}\n`)
  for (const line of lines) {
    said = ''
    type(`${line}\t\n`)
    ran.push(await waitFor(() => /^ran-(.*)\r$/mu.exec(said)![1]!))
  }
  type('exit\n')
  await once(terminal, 'close')
  return ran
}

/** Candidates of fish for a line. */
function inFish(line: string): string[] {
  const { stdout } = spawnSync('fish', ['-c', 'complete -C $argv[1]', '--', line], {
    env,
    cwd: directory,
    encoding: 'utf8'
  })
  return stdout
    .trim()
    .split('\n')
    .map((candidate) => candidate.split('\t')[0]!)
}

const DAEMON = "--data-dir 'a place' --api=http://127.0.0.1:1"
const ASKED = 'asked---data-dir,a.place,--api=http...127.0.0.1.1,completion,names,'

describe.each(['bash', 'zsh'] as const)('completion in %s', (shell) => {
  it.runIf(has(shell) && has('script'))(
    'offers commands, options and names of the daemon that is meant, at the first TAB',
    async () => {
      const lines = [
        'chronym renew al',
        'chronym reg',
        'chronym zone pu',
        'chronym vdf verify --dis',
        'chronym --json zone set alice.chronym --rec',
        `chronym ${DAEMON} zone get as`,
        `chronym --data-dir ~/zone renew as`,
        'chronym --data-dir a\\ pl'
      ]
      const home = directory.replaceAll('/', '.')
      expect(await complete(shell, lines)).toEqual([
        'renew,alice.chronym,',
        'register,',
        'zone,publish,',
        'vdf,verify,--discriminant,',
        '--json,zone,set,alice.chronym,--record,',
        `--data-dir,a.place,--api=http...127.0.0.1.1,zone,get,${ASKED},`,
        `--data-dir,${home}.zone,renew,asked---data-dir,${home}.zone,completion,names,,`,
        shell === 'bash' ? '--data-dir,a.place.,' : '--data-dir,a.place,'
      ])
    }
  )
})

describe('completion in fish', () => {
  it.runIf(has('fish'))('offers commands, options and names of the daemon that is meant, at the first TAB', () => {
    expect(inFish('chronym renew al')).toEqual(['alice.chronym'])
    expect(inFish('chronym reg')).toEqual(['register'])
    expect(inFish('chronym zone pu')).toEqual(['publish'])
    expect(inFish('chronym vdf verify --dis')).toEqual(['--discriminant'])
    expect(inFish(`chronym ${DAEMON} zone get as`)).toEqual([ASKED])
    expect(inFish('chronym --data-dir ~/zone renew as')).toEqual([
      `asked---data-dir,${directory.replaceAll('/', '.')}.zone,completion,names,`
    ])
  })
})

describe('the words that scripts ask for', () => {
  it('are the names that the daemon owns or works on', async () => {
    const app = new Hono()
    app.get('/api/owned-names', (c) => c.json(['alice.chronym', 'bob.chronym']))
    app.get('/api/vdf/tasks', (c) => c.json([taskView({ name: 'bob.chronym' }), taskView({ name: 'carol.chronym' })]))
    const server = await listen(app.fetch)
    const { stdout } = await cli(['--api', server.url, '--token', 'x', 'completion', 'names'])
    await server.close()
    expect(stdout).toBe('alice.chronym\nbob.chronym\ncarol.chronym\n')
  })
})

it.each(['bash', 'zsh', 'fish'])('the script of %s knows every command of zone', async (shell) => {
  const { stdout } = await cli(['completion', shell])
  for (const command of ['add', 'rm', 'edit', 'diff', 'discard', 'drafts', 'import', 'export'])
    expect(stdout).toContain(`zone ${command}`)
})
