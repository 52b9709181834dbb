import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ask } from '../fake-daemon.ts'
import { temporary } from '../../temporary.ts'

describe('a commitment by hand', () => {
  it('is bound to the pulse that the daemon names by what the peers saw', async () => {
    const directory = temporary()
    const [file, seed] = [join(directory, 'secret.json'), join(directory, 'seed')]
    writeFileSync(seed, '11'.repeat(32))
    const { exitCode, stdout } = await ask([
      'commit',
      'alice.chronym',
      '--network',
      'local',
      '--seed-file',
      seed,
      '--file',
      file
    ])
    expect({ exitCode, stdout }).toEqual({
      exitCode: 0,
      stdout: expect.stringContaining('"pulse_round":1020') as string
    })
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ pulse_round: 1020 })
  })
})
