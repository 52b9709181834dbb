/** Change words, and what is signed with them: `chronym key` and `chronym transfer`, asked wrongly too. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ServiceError } from '../../../src/errors.ts'
import { formatOffer, makeOffer, offerCode, offerMessage } from '../../../src/protocol/claim/offer.ts'
import { changePoint, changePublicKey } from '../../../src/protocol/crypto/change-keys.ts'
import { verifyStrict } from '../../../src/protocol/crypto/ed25519.ts'
import { seedToWords, wordsToSeed } from '../../../src/protocol/crypto/keys.ts'
import { parseName } from '../../../src/protocol/name/names.ts'
import type { KeysView } from '../../../src/views/keys.ts'
import { profileHash } from '../../../src/protocol/profile/profile.ts'
import { REVEAL } from '../../api/helpers/records.ts'
import { MAIN_TOKEN, type World } from '../../api/helpers/world.ts'
import { bytesOf, keyOf, makeReveal } from '../../protocol/fixtures.ts'
import { profile } from '../../registry/test-profile.ts'
import { DaemonScene } from '../daemon-scene.ts'
import { cli, type CliResult } from '../harness.ts'
import { temporary } from '../../temporary.ts'

const NAME = 'alice.chronym'
const HASH = profileHash(profile)
const WORDS = seedToWords(bytesOf('words'))
const OFFER = makeOffer(
  makeReveal({ words: 'words', profile }),
  { next: bytesOf('next'), consented: true },
  keyOf('bob'),
  HASH
)

describe('changes of keys', () => {
  const scene = new DaemonScene()
  let world: World
  let url: string
  let words: string
  afterEach(() => scene.end())
  beforeEach(async () => {
    ;({ url, world } = await scene.daemon())
    world.hold(REVEAL)
    world.answers.acceptOffer = () => Promise.resolve({ stored_by: 3, of: 4 })
    words = join(temporary(), 'words')
    writeFileSync(words, WORDS)
  })
  const run = (args: readonly string[]): Promise<CliResult> => cli(['--api', url, '--token', MAIN_TOKEN, ...args])
  const shown = (change: Partial<KeysView>): void => {
    world.answers.keysOf = async (name) => ({ ...(await world.node.registry.keysOf(name)), ...change })
  }
  const called = (operation: string): unknown[][] =>
    world.calls.filter((call) => call.operation === operation).map((call) => call.arguments)

  it('begin with words that are made, and of which the daemon gets the public point alone', async () => {
    const made = await cli(['key', 'change-words', '--make'])
    expect(wordsToSeed(made.stdout)).toHaveLength(32)
    expect((await run(['key', 'change-words', words])).exitCode).toBe(0)
    const point = changePoint(bytesOf('words'), HASH)
    expect(called('setChangePoint')).toEqual([[point]])
    expect(JSON.stringify(world.calls)).not.toContain(WORDS.split(' ')[0])
  })

  it('are signed where the offer is accepted', async () => {
    shown({ change_key: true })
    const file = join(temporary(), 'offer')
    writeFileSync(file, `${formatOffer(OFFER)}\n\n`)
    const { exitCode, stderr } = await run(['transfer', 'accept', file, '--change-words-file', words, '--yes'])
    expect(exitCode, stderr).toBe(0)
    const [[offer, authority]] = called('acceptOffer') as [[string, { key: Uint8Array; signature: Uint8Array }]]
    const key = changePublicKey(changePoint(bytesOf('words'), HASH), {
      name: parseName(NAME, profile),
      index: 0,
      profileHash: HASH
    })
    expect([offer, authority.key]).toEqual([formatOffer(OFFER), key])
    expect(verifyStrict(authority.signature, offerMessage(OFFER, HASH), key)).toBe(true)
  })

  it('need no words where the claim names no change key', async () => {
    expect((await run(['transfer', 'accept', formatOffer(OFFER), '--yes'])).exitCode).toBe(0)
    expect(called('acceptOffer')).toEqual([[formatOffer(OFFER), {}]])
  })

  it.each([
    [['key', 'change-words'], /needs a terminal/],
    [['key', 'change-words', '--make', 'file'], /--make takes no file/],
    [['key', 'rotate'], /names are needed, or --all/],
    [['key', 'rotate', NAME, '--all'], /names are needed, or --all/],
    [['transfer', 'accept', 'chronym:offer/AAAA', '--yes'], /is not an offer.*`transfer offer` printed/s],
    [['transfer', 'accept', 'nosuch.txt', '--yes'], /"nosuch.txt" is no file and is not an offer/],
    [['transfer', 'accept', formatOffer(OFFER)], /will belong to another owner/]
  ])('are refused with exit code 2: %j', async (args, message) => {
    const { exitCode, stderr } = await run(args)
    expect([exitCode, stderr]).toEqual([2, expect.stringMatching(message)])
    expect(called('acceptOffer')).toEqual([])
  })
  it('are refused without the words that the claim needs', async () => {
    shown({ change_key: true })
    const { exitCode, stderr } = await run(['transfer', 'accept', formatOffer(OFFER), '--yes'])
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('--change-words-file')])
  })

  it('are offered with a command for the owner, in which no directory of the buyer stands', async () => {
    world.node.registry.setChangePoint(changePoint(bytesOf('words'), HASH))
    const directory = scene.dataDirectory(url)
    const { stderr } = await cli(['--data-dir', directory, '--no-json', 'transfer', 'offer', NAME])
    expect(stderr).toContain('accepts it with chronym transfer accept LINK')
    expect(stderr).not.toContain(directory)
  })

  it('that do not fit send nobody to a daemon of another owner', async () => {
    world.answers.acceptOffer = () => Promise.reject(new ServiceError('SVC-CHG-002', 'It does not fit.'))
    const directory = scene.dataDirectory(url)
    const { stderr } = await cli(['--data-dir', directory, 'transfer', 'accept', formatOffer(OFFER), '--yes'])
    expect(stderr).toContain('SVC-CHG-002')
    expect(stderr).not.toContain('transfer offer')
  })

  it('go to another daemon only where that knows of change words, and leave out what is done', async () => {
    const other = await scene.daemon()
    const directory = scene.dataDirectory(other.url)
    const rotate = () => run(['--no-json', 'key', 'rotate', NAME, '--to', directory])
    const { exitCode, stderr } = await rotate()
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(`--data-dir ${directory} key change-words`)])
    other.world.node.registry.setChangePoint(changePoint(bytesOf('words'), HASH))
    expect(await rotate()).toMatchObject({ exitCode: 0, stdout: 'Nothing is left to change.\n' })
    expect(called('acceptOffer')).toEqual([])
  })

  it('are told of one claim alone, where its check code is given', async () => {
    await run(['transfer', 'status', 'alice--7kq2mx'])
    await run(['transfer', 'status', NAME, '--code', '7kq2mx'])
    await run(['transfer', 'verify', 'alice', '--code', '7kq2mx'])
    const apart = [`${NAME} 7kq2mx`]
    expect(called('keysOf')).toEqual([['alice--7kq2mx.chronym'], apart, apart])
  })

  it.each([
    [{ own: true, final: true }, /have never changed; this daemon has its key/],
    [
      { changes: 1, changes_left: 15, final: false, final_at: '2026-11-24T12:00:00.000Z' },
      /changed 1 of 16 times.*not final before 2026-11-24T12:00/
    ],
    [{ changes: 2, changes_left: 14, final: false, final_at: null }, /not final yet/],
    [
      { changes: 2, changes_left: 14, final: true },
      /final, for 19 of 20 holders, and for 18 of 20 at the place of its check code/
    ]
  ])('are told: %j', async (keys, text) => {
    const told = {
      claimed_at: '2000-01-01T12:00:00.000Z',
      final_after_seconds: { both: 86_400, alone: 60 * 86_400 },
      final_votes: 19,
      votes: 20,
      coded: { final_votes: 18, votes: 20 },
      ...keys
    }
    shown(told)
    expect((await run(['--no-json', 'transfer', 'status', NAME])).stdout).toMatch(text)
    const verified = await run(['--no-json', 'transfer', 'verify', formatOffer(OFFER)])
    expect(verified.stdout).toContain(offerCode(OFFER))
    expect(verified.stdout).toContain(!keys.final ? 'not final' : 'final')
    expect(verified.stdout).toMatch(/claimed +2000-01-01T12:00:00.000Z \(.+ ago\)/)
    expect(verified.stdout).toMatch(/change key +none: the next change is final after 60 d/)
    expect(verified.stdout).toMatch(/signed twice +nothing that the holders show/)
    shown({ ...told, other_keys: 3, equivocation: true })
    const cheating = await run(['--no-json', 'transfer', 'verify', NAME.split('.')[0]!.toUpperCase()])
    expect(cheating.stdout).toMatch(/signed twice +3 of 20 holders show other keys, two zones with one serial/)
  })
})
