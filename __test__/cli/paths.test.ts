/** Paths that people give: the same place from every working directory, and none where a home is missing. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Argument, Command, Option } from 'commander'
import { beforeEach, describe, expect, it } from 'vitest'
import { buildProgram } from '../../src/cli/program.ts'
import { checkConfig, CONFIG_FIELDS, configFromFlags } from '../../src/config/config.ts'
import { readPath } from '../../src/config/dotted-path.ts'
import { PATH_SETTINGS } from '../../src/config/schema.ts'
import { temporary } from '../temporary.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const MAIN = join(ROOT, 'src/cli/main.ts')
const DAEMON = join(ROOT, 'src/daemon/main.ts')

const RECIPIENT = 'age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p'

/** An option or argument. */
interface Taking {
  readonly what: string
  readonly help: string
  readonly parse: ((text: string, former: undefined) => unknown) | undefined
}

function takers(command: Command, words = ''): Taking[] {
  const taking = (what: string, { parseArg: parse, description: help }: Option | Argument): Taking => ({
    ...{ what, help, parse }
  })
  return [
    ...command.options.map((option) => taking(`${words} ${option.flags}`, option)),
    ...command.registeredArguments.map((argument) => taking(`${words} ${argument.name()}`, argument)),
    ...command.commands.flatMap((each) => takers(each, `${words} ${each.name()}`))
  ]
}

const unused = { write: () => true }
const program = buildProgram({
  surroundings: {
    stdin: process.stdin,
    stdout: unused,
    stderr: unused,
    env: {},
    interruption: () => AbortSignal.timeout(0)
  },
  exitCode: 0,
  usage: ''
})
// The daemon reads its settings itself, from flags too; they have a test below.
const ofCommandLine = takers(program).filter(({ what }) => !/^ daemon --(?!config)/u.test(what))
const expands = ({ parse }: Taking): boolean => parse?.('~/x', undefined) === join(homedir(), 'x')

describe('a path that begins with ~/', () => {
  const isPath = ({ what }: Taking): boolean =>
    /[<[](?:file|directory|path|network)[>\]]$|-file|-dir\b| (?:file|directory|path|network|offer|name-or-offer)$/u.test(
      what
    )

  it('is below the home in every option and argument of a path', () => {
    const paths = ofCommandLine.filter(isPath)
    expect(paths.length).toBeGreaterThan(55)
    expect(paths.filter((each) => !expands(each)).map(({ what }) => what)).toEqual([])
  })

  it('is meant by every option whose help speaks of a file', () => {
    const speaks = ({ help }: Taking): boolean => /\b(?:file|folder|directory|path)\b/iu.test(help)
    const others = ofCommandLine.filter((each) => !isPath(each))
    expect(others.filter((each) => speaks(each) && /[<[]/u.test(each.what)).map(({ what }) => what)).toEqual([
      // The file is where the token is by default.
      ' --token <token>',
      // The DID that a file would hold.
      ' manifest publish --did <did>'
    ])
  })
})

describe('a real process', () => {
  let home: string
  let elsewhere: string
  beforeEach(() => {
    home = temporary()
    elsewhere = temporary()
  })

  function run(program: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
    return spawnSync(process.execPath, [program, ...args], {
      cwd: elsewhere,
      env: { HOME: home, ...env },
      input: '',
      encoding: 'utf8'
    })
  }
  const chronym = (args: readonly string[], env?: Readonly<Record<string, string>>) => run(MAIN, args, env)

  /** A value of each setting that is a path, and what those need beside them. */
  const SET = Object.fromEntries([
    ...[...PATH_SETTINGS.keys()].map((path) => [path, `~/${path}`]),
    ['backup.recipient', RECIPIENT],
    ['dns.tls_listen', '127.0.0.1:8853']
  ]) as Readonly<Record<string, string>>
  const below = (directory: string) =>
    Object.fromEntries(Object.entries(SET).map(([path, value]) => [path, value.replace(/^~/u, directory)]))
  const lists = new Set(CONFIG_FIELDS.flatMap(({ path, kind }) => (kind === 'list' ? [path] : [])))
  const flat = (config: unknown) =>
    Object.fromEntries(Object.keys(SET).map((path) => [path, String(readPath(config, path))]))

  function checked(env: Readonly<Record<string, string>>): unknown {
    writeFileSync(join(home, 'network'), chronym(['config', 'profile', 'local', '--json']).stdout)
    const { stdout, stderr } = chronym(['config', 'check', '--json'], env)
    expect(stderr).toBe('')
    return flat((JSON.parse(stdout) as { config: unknown }).config)
  }

  it('knows each setting that is a path', () => {
    const named = CONFIG_FIELDS.filter(
      ({ kind, help }) => kind === 'string' && /\b(?:file|path|PEM|data)\b/u.test(help)
    )
    expect(named.map(({ path }) => path).sort()).toEqual([...PATH_SETTINGS.keys()].sort())
  })

  it('takes ~/ of every setting in the environment', () => {
    const env = CONFIG_FIELDS.flatMap(({ path, env: variable }) =>
      SET[path] === undefined ? [] : [[variable, SET[path]] as const]
    )
    expect(checked(Object.fromEntries(env))).toEqual(below(home))
  })

  it('takes ~/ of every setting in config.toml, and of that file in CHRONYM_CONFIG', () => {
    const lines = Object.entries(SET).map(
      ([path, value]) => `${path} = ${lists.has(path) ? JSON.stringify([value]) : JSON.stringify(value)}`
    )
    writeFileSync(join(home, 'own.toml'), lines.join('\n'))
    expect(checked({ CHRONYM_CONFIG: '~/own.toml' })).toEqual(below(home))
  })

  it('takes ~/ of every setting in a flag', () => {
    const flags = CONFIG_FIELDS.flatMap(({ path, flag }) =>
      SET[path] === undefined ? [] : [[flag, SET[path]] as const]
    )
    expect(flat(checkConfig(configFromFlags(Object.fromEntries(flags)), 'flags'))).toEqual(below(homedir()))
  })

  it('writes below the home, and nothing below the working directory', () => {
    const words = join(home, 'words')
    writeFileSync(words, `${'abandon '.repeat(23)}art`)
    const { stderr, status } = chronym(['--data-dir=~/d', 'key', 'import', '~/words'])
    expect(stderr).not.toContain('error')
    expect(status).toBe(0)
    const key = join(home, 'phrase')
    writeFileSync(key, 'a passphrase')
    const made = chronym(['network', 'bootstrap-list', 'make-key', '~/key', '--passphrase-file=~/phrase'])
    expect(made.stderr).not.toContain('error')
    expect(readdirSync(home)).toEqual(expect.arrayContaining(['d', 'key']))
    expect(readdirSync(elsewhere)).toEqual([])
  })

  it.each([
    [{ CHRONYM_DATA_DIR: 'd' }, 'data_dir: must be an absolute path such as '],
    [{ CHRONYM_DATA_DIR: '~root/d' }, 'data_dir: only ~/ is expanded'],
    [{ CHRONYM_SEED_PASSPHRASE_FILE: 'secret' }, 'seed.passphrase_file: must be an absolute path'],
    [{ CHRONYM_NETWORK: './network' }, 'nor a path: it must be an absolute path'],
    [{ CHRONYM_CONFIG: 'own.toml' }, 'environment variable CHRONYM_CONFIG: must be an absolute path'],
    [{ HOME: '' }, 'HOME is empty'],
    [{ HOME: 'here' }, 'HOME is "here"'],
    [{ XDG_DATA_HOME: 'here' }, 'XDG_DATA_HOME: must be an absolute path'],
    [{ XDG_CONFIG_HOME: 'here' }, 'XDG_CONFIG_HOME: must be an absolute path']
  ])('refuses %j', (env: Readonly<Record<string, string>>, refusal) => {
    for (const { stderr, status } of [chronym(['key', 'show'], env), run(DAEMON, [], env)]) {
      expect(stderr).toContain(refusal)
      expect(stderr).toContain(Object.keys(env)[0])
      expect(status).toBe(2)
    }
    expect(readdirSync(elsewhere)).toEqual([])
  })

  it('refuses a relative path in config.toml', () => {
    mkdirSync(join(home, '.config/chronym'), { recursive: true })
    writeFileSync(join(home, '.config/chronym/config.toml'), 'data_dir = "d"\n')
    const { stderr, status } = run(DAEMON, [])
    expect(stderr).toContain(`data_dir: must be an absolute path such as ${join(elsewhere, 'd')}, or begin with ~/`)
    expect(status).toBe(2)
  })

  it('takes a relative path of an option from the working directory', () => {
    const { stderr } = chronym(['--data-dir=d', 'key', 'show'])
    expect(stderr).toContain(`${join(elsewhere, 'd')} has no file seed-words`)
  })

  it('says its version and its help whatever the home is', () => {
    for (const program of [MAIN, DAEMON])
      for (const option of ['--version', '--help']) {
        const { stderr, status } = run(program, [option], { HOME: '', XDG_CONFIG_HOME: 'here' })
        expect(stderr).toBe('')
        expect(status).toBe(0)
      }
  })
})
