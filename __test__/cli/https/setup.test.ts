import { join } from 'node:path'
import { expect, it } from 'vitest'
import { temporary } from '../../temporary.ts'
import { cli, says } from '../harness.ts'

it('has no other user for a data directory that is not there, to root neither', async () => {
  const root = join(temporary(), 'none')
  const { exitCode, stderr } = await cli(['--data-dir', root, 'https', 'setup', '--yes'])
  expect({ exitCode, stderr }).toMatchObject(says(4, `${root} has no file seed-words`))
})
