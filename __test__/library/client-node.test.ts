/** Programs find the daemon of this machine as the command line does: the scenes are those of its tests. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { connectLocal, UnreachableError } from '../../src/library/client-node.ts'
import { DaemonScene } from '../cli/daemon-scene.ts'

const scene = new DaemonScene()
afterEach(async () => {
  vi.unstubAllEnvs()
  await scene.end()
})

describe('chronym/client/node', () => {
  it('finds the daemon of a data directory, and gives it the token', async () => {
    const { url } = await scene.daemon()
    const dataDir = scene.dataDirectory(url)
    expect(await connectLocal({ dataDir }).ownedNames()).toEqual([])
    vi.stubEnv('CHRONYM_DATA_DIR', dataDir)
    expect(await connectLocal().ownedNames()).toEqual([])
  })

  it('shows no token to another that listens there', async () => {
    const impostor = await scene.impostor()
    const dataDir = scene.dataDirectory(impostor.url)
    await expect(connectLocal({ dataDir }).ownedNames()).rejects.toThrow(/does not prove to be the expected daemon/)
    expect(impostor.seen.join('\n').toLowerCase()).not.toContain('authorization')
  })

  it('says where it looked when none runs, and what to do', async () => {
    const dataDir = join(scene.temporary(), 'none')
    let failure: unknown
    try {
      connectLocal({ dataDir })
    } catch (error) {
      failure = error
    }
    if (!(failure instanceof UnreachableError)) throw new Error('it should be unreachable')
    expect(failure.message).toBe(`no daemon runs on ${dataDir}, which does not exist`)
    expect(failure.cure).toContain('dataDir')
    const { url } = await scene.daemon()
    const directory = scene.dataDirectory(url)
    rmSync(join(directory, 'access_token'))
    expect(() => connectLocal({ dataDir: directory })).toThrow(/access_token is missing/)
  })
})
