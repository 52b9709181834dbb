/** Keys that change between real daemons: taken back from a thief of the change words, rotated, killed meanwhile. */
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { run } from '../../scripts/program.ts'
import { offerMessage, parseOffer } from '../../src/protocol/claim/offer.ts'
import { changePoint, changePublicKey, signAsChangeKey } from '../../src/protocol/crypto/change-keys.ts'
import { wordsToSeed } from '../../src/protocol/crypto/keys.ts'
import { toBase64 } from '../../src/protocol/encoding/bytes.ts'
import type { Name } from '../../src/protocol/name/names.ts'
import { profileHash } from '../../src/protocol/profile/profile.ts'
import type { KeysView } from '../../src/views/keys.ts'
import { cli } from '../cli/harness.ts'
import { acquainted, begin, cheap, completed, eventually, register, Scene, type Daemon } from './processes.ts'

const scene = new Scene()
afterAll(() => scene.end())

const NAME = 'alice.chronym'
const NETWORK = scene.network()
const HASH = profileHash(cheap())
const zone = (value: string) => ({ records: { '@': [{ type: 'A', value }] } })

const start = (directory: string, bootstrap?: Daemon): Promise<Daemon> =>
  scene.daemon([
    ...['--network', NETWORK, '--data-dir', directory],
    ...(bootstrap === undefined ? [] : ['--bootstrap', bootstrap.address])
  ])

async function chronym(directory: string, ...args: string[]): Promise<Record<string, unknown>> {
  const { exitCode, stdout, stderr } = await cli(['--data-dir', directory, '--json', ...args], { env: {} })
  expect(exitCode, stderr).toBe(0)
  return JSON.parse(stdout) as Record<string, unknown>
}

/** Makes change words, tells the daemon of them, and returns the file that has them. */
async function changeWords(directory: string): Promise<string> {
  const file = join(directory, 'change-words')
  writeFileSync(file, String((await chronym(directory, 'key', 'change-words', '--make'))['words']))
  await chronym(directory, 'key', 'change-words', file)
  return file
}

const stateOf = async (daemon: Daemon): Promise<string | undefined> => {
  const names = (await daemon.request('GET', '/api/names')).body as unknown as { name: string; state: string }[]
  return names.find(({ name }) => name === NAME)?.state
}

/** `sold` once the change is final, which a busy machine may see first. */
const isGivenAway = (state: string | undefined): boolean => state === 'changed' || state === 'sold'

it('is taken back from a thief of the change words, with its code and claim, and renewed', async () => {
  const root = scene.directory()
  const at = (who: string): string => join(root, who)
  const witness = await start(at('witness'))
  const [owner, thief] = [await start(at('owner'), witness), await start(at('thief'), witness)]
  await acquainted(witness, owner, thief)
  const words = await changeWords(at('owner'))
  await register(owner, NAME, { zone: zone('192.0.2.1') })
  const keys = async (): Promise<KeysView> => {
    const { body: shown } = await witness.request('GET', `/api/names/${NAME}/keys`)
    return shown as KeysView
  }
  const before = (await chronym(at('thief'), 'transfer', 'verify', NAME)) as unknown as KeysView
  expect(before).toMatchObject({ own: false, changes: 0, change_key: true, final: true })

  await changeWords(at('thief'))
  await chronym(at('thief'), 'key', 'recover', NAME, '--change-words-file', words)
  expect(await keys()).toMatchObject({ changes: 0, pubkey: before.pubkey, notice: { own: false } })
  await eventually(
    () => stateOf(owner),
    (state) => state === 'changing'
  )
  await chronym(at('owner'), 'key', 'rotate', NAME, '--change-words-file', words)
  expect(await stateOf(owner)).toBe('live')
  const taken = await eventually(
    () => keys(),
    ({ changes, final, notice }) => changes === 1 && final && notice === null
  )
  expect(taken).toMatchObject({ check_code: before.check_code, claim_id: before.claim_id, changes: 1, consented: true })
  expect(taken.pubkey).not.toBe(before.pubkey)

  // a renewal goes on with the new key
  const renewal = await owner.request('POST', '/api/vdf/renew', { name: NAME })
  await completed(owner, String(renewal.body.task_id))
  expect(await keys()).toMatchObject({ changes: 1, renewals: 1, pubkey: taken.pubkey })
  expect(await stateOf(thief)).not.toBe('live')
})

/** As many as one wants: `NAMES=50 npx vitest run --project e2e __test__/e2e/transfer.test.ts -t seed`. */
const COUNT = Number(process.env['NAMES'] ?? 5)

it('goes to a new seed with all other names, by one command that is given again after each kill -9', async () => {
  const root = scene.directory()
  const at = (who: string): string => join(root, who)
  const witness = await start(at('witness'))
  let [old, fresh] = [await start(at('old'), witness), await start(at('fresh'), witness)]
  await acquainted(witness, old, fresh)
  const words = await changeWords(at('old'))
  await changeWords(at('fresh'))
  const all = Array.from({ length: COUNT }, (_, index) => `name-${index}.chronym`)
  const tasks = await Promise.all(all.map((name) => begin(old, name, { zone: zone('192.0.2.1') })))
  for (const task of tasks) await completed(old, task, 600_000)

  /** Gives the command, and kills with SIGKILL once it has said that some names are done. */
  const rotate = async (done: number, kill?: (command: ChildProcess) => unknown): Promise<number | null> => {
    const args = ['--data-dir', at('old'), 'key', 'rotate', '--all', '--to', at('fresh'), '--change-words-file', words]
    const command = scene.child(run('src/cli/main.ts', args))
    let said = ''
    const ended = once(command, 'close')
    command.stderr!.setEncoding('utf8').on('data', (text: string) => {
      said += text
      if (kill === undefined || said.split('has new keys').length <= done) return
      void kill(command)
      kill = undefined
    })
    command.stdout!.resume()
    const [code] = (await ended) as [number | null]
    return code
  }
  // On a busy machine a command may be done before a kill comes, which then meets a daemon that is only looking on.
  await rotate(1, (command) => command.kill('SIGKILL'))
  await rotate(1, () => old.signal('SIGKILL'))
  await old.signal('SIGKILL')
  old = await start(at('old'), witness)
  await rotate(1, () => fresh.signal('SIGKILL'))
  await fresh.signal('SIGKILL')
  fresh = await start(at('fresh'), witness)
  expect(await rotate(0)).toBe(0)

  const states = async (daemon: Daemon): Promise<Record<string, string>> => {
    const names = (await daemon.request('GET', '/api/names')).body as { name: string; state: string }[]
    return Object.fromEntries(names.map(({ name, state }) => [name, state]))
  }
  await eventually(
    () => states(fresh),
    (has) => all.every((name) => has[name] === 'live')
  )
  await eventually(
    () => states(old),
    (has) => all.every((name) => isGivenAway(has[name]))
  )
  for (const name of all) {
    const { body } = await witness.request('GET', `/api/names/${name}/keys`)
    expect(body).toMatchObject({ changes: 1, consented: true })
  }
})

it("outlives kill -9 of the owner at any moment of a change: the name is always the one owner's or the other's", async () => {
  const root = scene.directory()
  const at = (who: string): string => join(root, who)
  const witness = await start(at('witness'))
  let owner = await start(at('owner'), witness)
  const buyer = await start(at('buyer'), witness)
  await acquainted(witness, owner, buyer)
  const words = wordsToSeed(readFileSync(await changeWords(at('owner')), 'utf8'))
  await changeWords(at('buyer'))
  await register(owner, NAME, { zone: zone('192.0.2.1') })
  const changes = async (): Promise<number> =>
    (await witness.request('GET', `/api/names/${NAME}/keys`)).body.changes as number

  /** Accepts an offer as the command line does, and is killed meanwhile. */
  const killedWhileAccepting = async (offer: string, milliseconds: number): Promise<void> => {
    const parsed = parseOffer(offer)
    const of = { name: NAME as Name, index: parsed.index, profileHash: HASH }
    const accepted = owner.request('POST', '/api/changes', {
      offer,
      key: toBase64(changePublicKey(changePoint(words, HASH), of)),
      signature: toBase64(signAsChangeKey(words, of, offerMessage(parsed, HASH)))
    })
    await Promise.race([accepted.catch(() => undefined), new Promise((resolve) => setTimeout(resolve, milliseconds))])
    await owner.signal('SIGKILL')
    await accepted.catch(() => undefined)
    owner = await start(at('owner'), witness)
  }
  for (const milliseconds of [10, 80]) {
    const before = await changes()
    const { offer } = (await owner.request('POST', `/api/names/${NAME}/offer`, {})).body as { offer: string }
    await killedWhileAccepting(offer, milliseconds)
    expect(await stateOf(owner)).toBe('live')
    expect((await changes()) - before).toBeOneOf([0, 1])
    // whichever key it has now signs for the name
    await owner.request('POST', `/api/zone/${NAME}`, zone(`192.0.2.${milliseconds % 250}`))
    await eventually(
      () => owner.request('POST', `/api/zone/${NAME}/publish`),
      ({ status }) => status === 200
    )
  }

  const before = await changes()
  // A busy machine gets as far later.
  for (let milliseconds = 60; (await changes()) === before; milliseconds *= 2) {
    const { body: made } = await buyer.request('POST', `/api/names/${NAME}/offer`, {})
    await killedWhileAccepting(String(made.offer), milliseconds)
  }
  await eventually(
    async () => {
      // By itself it looks less and less often.
      await buyer.request('POST', '/api/wanted', { id: NAME })
      return stateOf(buyer)
    },
    (state) => state === 'live'
  )
  await eventually(() => stateOf(owner), isGivenAway)
  await buyer.request('POST', `/api/zone/${NAME}`, zone('192.0.2.99'))
  expect(await buyer.request('POST', `/api/zone/${NAME}/publish`)).toMatchObject({ status: 200 })
})
