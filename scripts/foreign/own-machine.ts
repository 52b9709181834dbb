/** Runs dns.ts on a machine of its own: namespaces, as root or as root of a user namespace. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Outcome } from './outcome.ts'
import { said } from './said.ts'
import { cleanEnvironment } from '../program.ts'
import { programOf } from '../packages.ts'

const NAMESPACES = ['--mount', '--net', '--pid', '--fork', '--kill-child', '--mount-proc']

export async function onItsOwnMachine(what: 'resolvers' | 'programs'): Promise<Outcome[]> {
  const directory = mkdtempSync(join(tmpdir(), 'foreign-'))
  const here = import.meta.dirname
  const mapping = process.getuid?.() === 0 ? [] : ['--map-root-user']
  const resolved = what === 'resolvers' ? `:${dirname(programOf('systemd-resolved'))}` : ''
  const env = { ...cleanEnvironment(), PATH: `${process.env['PATH']}:/usr/sbin:/sbin${resolved}` }
  const node = [process.execPath, '--disable-warning=ExperimentalWarning', join(here, 'dns.ts'), what]
  const args = [...mapping, ...NAMESPACES, 'sh', join(here, 'own-machine.sh'), ...node]
  const text = await said('unshare', args, { cwd: directory, env })
  rmSync(directory, { recursive: true, force: true })
  const line = text.split('\n').find((each) => each.startsWith('['))
  if (line === undefined)
    throw new Error(`a machine of its own could not be made, or ended early: ${text.slice(-2_000)}`)
  return JSON.parse(line) as Outcome[]
}
