import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { completionScript } from '../../src/cli/completion/scripts.ts'
import { cli } from './harness.ts'

const has = (shell: string): boolean => spawnSync(shell, ['--version'], { stdio: 'ignore' }).status === 0

async function completeInBash(words: readonly string[]): Promise<string[]> {
  const script = (await cli(['completion', 'bash'])).stdout
  const probe = `${script}\nCOMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _chronym; printf '%s\\n' "\${COMPREPLY[@]}"`
  return spawnSync('bash', ['--noprofile', '--norc', '-c', probe], { encoding: 'utf8' }).stdout.trim().split('\n')
}

describe.runIf(has('bash'))('completion in bash', () => {
  it('offers commands, then the commands below them, then options', async () => {
    expect(await completeInBash(['chronym', 'reg'])).toEqual(['register'])
    expect(await completeInBash(['chronym', 'zone', 'p'])).toEqual(['publish'])
    expect(await completeInBash(['chronym', 'vdf', 'verify', '--dis'])).toEqual(['--discriminant'])
  })

  it('sees the command past options and arguments', async () => {
    expect(await completeInBash(['chronym', '--json', 'zone', 'set', 'alice.chronym', '--rec'])).toEqual(['--record'])
  })
})

describe('completion scripts', () => {
  it.each(['bash', 'zsh', 'fish'] as const)('%s quotes descriptions with quotes', (shell) => {
    const script = completionScript(shell, [{ path: '', commands: [{ name: 'do', description: "it's $(danger)" }], options: [] }])
    if (shell !== 'bash') expect(script).toContain(String.raw`it'\''s $(danger)`)
    expect(script).not.toContain('undefined')
  })
})
