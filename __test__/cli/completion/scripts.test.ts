import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { completionScript } from '../../../src/cli/completion/scripts.ts'
import { cli } from '../harness.ts'

const has = (shell: string): boolean => spawnSync(shell, ['--version'], { stdio: 'ignore' }).status === 0

/** `asked`: what the script is told when it asks the program for words. */
async function completeInBash(words: readonly string[], asked = ''): Promise<string[]> {
  const script = (await cli(['completion', 'bash'])).stdout
  const probe =
    `${script}\nchronym() { ${asked === '' ? 'false' : asked}; }\n` +
    `COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); ` +
    `_chronym; printf '%s\\n' "\${COMPREPLY[@]}"`
  return spawnSync('bash', ['--noprofile', '--norc', '-c', probe], { encoding: 'utf8' }).stdout.trim().split('\n')
}

describe.runIf(has('bash'))('completion in bash', () => {
  it('offers commands, then the commands below them, then options', async () => {
    expect(await completeInBash(['chronym', 'reg'])).toEqual(['register'])
    expect(await completeInBash(['chronym', 'zone', 'p'])).toEqual(['publish'])
    expect(await completeInBash(['chronym', 'zone', ''])).toEqual(
      expect.arrayContaining([
        'get',
        'set',
        'add',
        'rm',
        'edit',
        'diff',
        'discard',
        'drafts',
        'import',
        'export',
        'publish'
      ])
    )
    expect(await completeInBash(['chronym', 'vdf', 'verify', '--dis'])).toEqual(['--discriminant'])
  })

  const SAYS = [
    'if [ "$*" = "completion names" ]; then echo alice.chronym; ',
    'elif [ "$*" = "--data-dir /d completion tasks" ]; then echo t1; ',
    'elif [ "$*" = "completion fields" ]; then echo vdf.threads; ',
    'elif [ "$*" = "completion scopes" ]; then echo publish; fi'
  ].join('')

  it.each([
    [['chronym', 'renew', 'al'], ['alice.chronym']],
    [['chronym', 'zone', 'set', 'al'], ['alice.chronym']],
    [['chronym', '--data-dir', '/d', 'cancel', 't'], ['t1']],
    [['chronym', 'config', 'set', 'vdf.t'], ['vdf.threads']],
    [['chronym', 'token', 'create', '--scope', 'pu'], ['publish']],
    [['chronym', 'renew', '--ye'], ['--yes']]
  ])('offers for %j the words of that place, asking the daemon that is meant', async (words, offered) => {
    expect(await completeInBash(words, SAYS)).toEqual(offered)
  })

  it('sees the command past options and arguments', async () => {
    expect(await completeInBash(['chronym', '--json', 'zone', 'set', 'alice.chronym', '--rec'])).toEqual(['--record'])
    expect(await completeInBash(['chronym', 'zone', 'import', 'alice.chronym', 'file', '--y'])).toEqual(['--yes'])
  })
})

describe('the words that scripts ask for', () => {
  it('are the fields of the configuration and the scopes of tokens, without a daemon', async () => {
    expect((await cli(['completion', 'fields'])).stdout.split('\n')).toContain('vdf.threads')
    expect((await cli(['completion', 'scopes'])).stdout).toBe('read\nvdf\npublish\nadmin\n')
  })
})

describe('completion scripts', () => {
  it('fish compares the command typed so far in quotes: an empty one would leave test without a word', () => {
    const script = completionScript('fish', [{ path: '', commands: [{ name: 'do', description: 'it' }], options: [] }])
    expect(script).toContain('test "$at" = "$argv[1]"')
    expect(script).not.toContain('string join')
  })

  it.each(['bash', 'zsh', 'fish'])('of %s know every command of zone', async (shell) => {
    const { stdout } = await cli(['completion', shell])
    for (const command of ['add', 'rm', 'edit', 'diff', 'discard', 'drafts', 'import', 'export'])
      expect(stdout).toContain(`zone ${command}`)
  })

  it.each(['bash', 'zsh', 'fish'] as const)('%s quotes descriptions with quotes', (shell) => {
    const script = completionScript(shell, [
      { path: '', commands: [{ name: 'do', description: "it's $(danger)" }], options: [] }
    ])
    if (shell !== 'bash') expect(script).toContain(String.raw`it'\''s $(danger)`)
    expect(script).not.toContain('undefined')
  })
})
