import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { Context } from '../../../src/cli/context.ts'
import { newPassphrase } from '../../../src/cli/input/questions.ts'

/** A terminal at which somebody types a line for each question. */
function typing(...lines: string[]): Context {
  const stdin = Object.assign(new PassThrough(), { isTTY: true })
  const type = () => stdin.write(`${lines.shift() ?? ''}\r`)
  // A question that has its line gives the terminal back.
  stdin.on('pause', type)
  type()
  const nowhere = { write: () => true }
  const surroundings = { stdin, stdout: nowhere, stderr: nowhere, env: {}, interruption: () => AbortSignal.any([]) }
  return new Context({ surroundings, exitCode: 0, usage: '' }, {})
}

it('a new passphrase is asked for twice, and counts only if it is the same and long enough', async () => {
  const asked = (...lines: string[]) => newPassphrase(typing(...lines), undefined, 'Passphrase')
  expect(await asked('correct horse', 'correct horse')).toBe('correct horse')
  await expect(asked('correct horse', 'correct house')).rejects.toThrow('the two passphrases differ')
  await expect(asked('short', 'short')).rejects.toThrow('a passphrase needs 8 characters')
})
