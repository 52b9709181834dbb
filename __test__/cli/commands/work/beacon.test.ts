/** Commands that serve until they are stopped, as processes. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, expect, it } from 'vitest'
import { daemonArguments } from '../../../../src/cli/commands/daemon/daemon.ts'
import { DEV_BEACON_CHAIN } from '../../../../src/protocol/profile/built-in.ts'

const MAIN = join(import.meta.dirname, '../../../../src/cli/main.ts')
const QUICKNET = join(import.meta.dirname, '../../../vectors/quicknet-pulses.json')

async function serve(args: readonly string[]) {
  const child = spawn(process.execPath, [MAIN, ...args], { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] })
  const ended = once(child, 'exit')
  const [line] = (await once(createInterface({ input: child.stdout! }), 'line')) as [string]
  return { child, ended, summary: JSON.parse(line) as { url: string; mode: string } }
}

const getJson = async (url: string): Promise<unknown> => (await fetch(url)).json()

describe('chronym beacon', () => {
  it('serves the chain that network local pins, and ends with 0 on SIGTERM', async () => {
    const { child, ended, summary } = await serve(['beacon', '--json', '--port', '0'])
    expect(await getJson(`${summary.url}/info`)).toMatchObject({
      hash: DEV_BEACON_CHAIN.chain_hash,
      public_key: DEV_BEACON_CHAIN.public_key
    })
    expect(await getJson(`${summary.url}/${DEV_BEACON_CHAIN.chain_hash}/public/7`)).toMatchObject({ round: 7 })
    child.kill('SIGTERM')
    expect(await ended).toEqual([0, null])
  })

  it('relays recorded pulses of another chain, and ends when the process that started it is gone', async () => {
    const { child, ended, summary } = await serve(['beacon', '--json', '--port', '0', '--relay', QUICKNET])
    const recorded = (
      JSON.parse(readFileSync(QUICKNET, 'utf8')) as {
        pulses: { round: number; signature: string; randomness: string }[]
      }
    ).pulses[0]!
    expect(await getJson(`${summary.url}/public/${recorded.round}`)).toEqual(recorded)
    child.disconnect()
    expect(await ended).toEqual([0, null])
  })
})

describe('chronym daemon', () => {
  it('hands its options to chronymd, lists one by one', () => {
    expect(
      daemonArguments({
        dataDir: '/d',
        port: ['7'],
        bootstrap: ['/ip4/1', '/ip4/2'],
        config: 'c.toml',
        vdfMaxTasks: ['2']
      })
    ).toEqual([
      '--config=c.toml',
      '--data-dir=/d',
      '--port=7',
      '--bootstrap=/ip4/1',
      '--bootstrap=/ip4/2',
      '--vdf-max-tasks=2'
    ])
  })
})
