/** A daemon that follows lists of published pins, from files and by HTTP. */
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { checkCodeOf, formatCodedName } from '../../../src/protocol/claim/check-code.ts'
import type { Reveal } from '../../../src/protocol/claim/reveal.ts'
import { keyPairFromSeed } from '../../../src/protocol/crypto/ed25519.ts'
import { sha256, utf8 } from '../../../src/protocol/encoding/bytes.ts'
import { encodeMultikey } from '../../../src/protocol/identity/did.ts'
import type { Name } from '../../../src/protocol/name/names.ts'
import { MAX_LIST_BYTES, signPinList } from '../../../src/protocol/resolution/pin-list.ts'
import { temporary } from '../../temporary.ts'
import { waitFor } from '../../wait-for.ts'
import { profile } from '../test-profile.ts'
import { asker, bench, explained, owner, registered, rival } from '../scene.ts'
import { ALICE, code, withZone } from '../workbench.ts'

const HOUR_MS = 3_600_000

let ours: Reveal
let theirs: Reveal
let directory: string
let server: Server
/** The server's answers, by path. */
let pages: Record<string, string | ((response: ServerResponse) => void)>

const keyOf = (who: string) => keyPairFromSeed(sha256(utf8(who)))
const codeOf = (reveal: Reveal): string => checkCodeOf(reveal, profile).slice(0, 12)
const urlOf = (path: string): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`

/** A list by that publisher, made as many seconds after the test's beginning. */
function listOf(who: string, code12: string | undefined, seconds = 0): string {
  const pins = code12 === undefined ? [] : [{ name: ALICE as Name, code: code12, since: '2026-11-01' }]
  return signPinList({ serial: Math.floor(bench.clock.now() / 1_000) - 1_000 + seconds, pins }, keyOf(who), profile)
}

function fileOf(who: string, text: string): string {
  const path = join(directory, `${who}.txt`)
  writeFileSync(path, text)
  return path
}

beforeEach(async () => {
  ours = await registered(owner)
  theirs = await rival()
  directory = temporary()
  pages = {}
  server = createServer(({ url }, response) => {
    const page = pages[url ?? '']
    if (typeof page === 'function') page(response)
    else response.writeHead(page === undefined ? 404 : 200).end(page)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})

afterEach(async () => {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

describe('published pins', () => {
  /** All peers but one show the thief, and nobody was seen before. */
  const hide = (): void => {
    for (const peer of bench.world.peers.slice(1)) peer.reveals.set(ALICE, { state: 'settled', reveal: theirs })
  }

  it('make a bare name mean its claim at first sight, where two of three lists agree, whatever most peers say', async () => {
    hide()
    expect((await asker.registry.resolve(ALICE)).reveal.pubkey, 'no list by default').toEqual(theirs.pubkey)
    pages['/one'] = listOf('one', codeOf(ours))
    await asker.registry.followPinList(urlOf('/one'), { key: encodeMultikey(keyOf('one').publicKey) })
    await asker.registry.followPinList(fileOf('two', listOf('two', codeOf(ours))))
    const followed = await asker.registry.followPinList(fileOf('three', listOf('three', undefined)))
    expect(followed).toMatchObject({ agree: 2, lists: [{ entries: 1, failure: null }, { entries: 1 }, { entries: 0 }] })
    expect(await asker.registry.resolve(ALICE)).toMatchObject({ reveal: ours, confidence: 'proven' })
    expect(asker.registry.kept(ALICE)).toMatchObject({ reveal: ours })
    expect(await asker.registry.lookUp(ALICE)).toMatchObject({ resolved: { confidence: 'proven' } })
    const explanation = await explained(asker)
    expect(explanation).toMatchObject({ rule: 'check-code', state: 'proven', resolves: 'proven' })
    expect(explanation.notes[0]).toMatch(
      /^The code is of published pins, on 2 of 3 lists: http:.*\/one \(made \d{4}-\d\d-\d\d, has it since 2026-11-01\), .*two\.txt/
    )
  })

  it('make it contested where they differ; a code that the user gives decides', async () => {
    await asker.registry.followPinList(fileOf('one', listOf('one', codeOf(ours))))
    await asker.registry.followPinList(fileOf('two', listOf('two', codeOf(ours))))
    await asker.registry.followPinList(fileOf('three', listOf('three', codeOf(theirs))))
    await expect(asker.registry.resolve(ALICE)).rejects.toMatchObject({
      code: 'SVC-RES-004',
      message: expect.stringContaining(`${codeOf(theirs)} (${join(directory, 'three.txt')})`) as string
    })
    expect(asker.registry.kept(ALICE)).toBeUndefined()
    expect(await explained(asker)).toMatchObject({ state: 'contested', resolves: null, error: { code: 'SVC-RES-004' } })
    asker.registry.pinCodes([`${ALICE} ${codeOf(ours)}`])
    expect(await asker.registry.resolve(ALICE)).toMatchObject({ reveal: ours })
  })

  it('make it contested where they differ from a firm pin', async () => {
    await asker.registry.resolve(ALICE)
    for (let minutes = 0; asker.registry.pins()[0]?.state !== 'firm' && minutes < 20; minutes++)
      await bench.clock.advance(60_000)
    expect(asker.registry.pins()).toMatchObject([{ state: 'firm' }])
    await asker.registry.followPinList(fileOf('one', listOf('one', codeOf(ours))))
    expect(await asker.registry.resolve(ALICE)).toMatchObject({ reveal: ours, confidence: 'proven' })
    await asker.registry.followPinList(fileOf('one', listOf('one', codeOf(theirs), 60)))
    await expect(asker.registry.resolve(ALICE)).rejects.toThrow(/different codes: .*seen here as settled on two days/)
  })

  it('do not speak for a name of this daemon', async () => {
    await owner.registry.followPinList(fileOf('one', listOf('one', codeOf(theirs))))
    expect((await owner.registry.resolve(ALICE)).reveal.pubkey).toEqual(ours.pubkey)
  })

  it('are fetched each hour; an older list replaces nothing, and is named', async () => {
    pages['/list'] = listOf('one', codeOf(ours))
    await asker.registry.followPinList(urlOf('/list'))
    const firstMs = Date.parse(asker.registry.pinLists().lists[0]!.made_at)
    const after = async (page: string, check: () => void): Promise<void> => {
      pages['/list'] = page
      await bench.clock.advance(HOUR_MS)
      await waitFor(check)
    }
    const shown = () => asker.registry.pinLists().lists[0]!
    await after(listOf('one', codeOf(theirs), 60), () => expect(Date.parse(shown().made_at)).toBe(firstMs + 60_000))
    const newest = shown()
    pages['/list'] = signPinList({ serial: firstMs / 1_000, pins: [] }, keyOf('one'), profile)
    await bench.clock.advance(HOUR_MS)
    await waitFor(() => expect(shown().rolled_back_to).toBe(new Date(firstMs).toISOString()))
    expect(shown()).toMatchObject({ made_at: newest.made_at, entries: 1 })
    await after('<html>', () => expect(shown().failure).toMatch(/does not begin as a list/))
    await after(listOf('other', codeOf(ours)), () =>
      expect(shown().failure).toMatch(/the key z6Mk\w+ signed it, not z6Mk/)
    )
    expect(shown()).toMatchObject({ made_at: newest.made_at, entries: 1, key: newest.key })
  })

  it('of a publisher with two lists of one serial count no longer, and both are shown', async () => {
    const one = listOf('one', codeOf(ours))
    const other = listOf('one', codeOf(theirs))
    pages['/list'] = one
    await asker.registry.followPinList(urlOf('/list'))
    pages['/list'] = other
    expect(await asker.registry.followPinList(urlOf('/list'))).toMatchObject({
      lists: [{ entries: 1, equivocation: [{ name: ALICE, codes: [codeOf(ours), codeOf(theirs)] }] }]
    })
    hide()
    expect((await asker.registry.resolve(ALICE)).reveal.pubkey, 'as without lists').toEqual(theirs.pubkey)
    pages['/list'] = listOf('one', codeOf(ours), 60)
    expect(await asker.registry.followPinList(urlOf('/list')), 'no later list mends it').toMatchObject({
      lists: [{ equivocation: [{ name: ALICE }] }]
    })
  })

  it('of a publisher that shows two sources different lists are found out too', async () => {
    await asker.registry.followPinList(fileOf('one', listOf('one', codeOf(ours))))
    const { lists } = await asker.registry.followPinList(fileOf('mirror', listOf('one', codeOf(theirs))))
    expect(lists.filter(({ equivocation }) => equivocation !== null)).toHaveLength(1)
    hide()
    expect((await asker.registry.resolve(ALICE)).reveal.pubkey).toEqual(theirs.pubkey)
  })

  it('are there after a restart, with serial and threshold, until the user follows them no longer', async () => {
    const path = fileOf('one', listOf('one', codeOf(ours)))
    await asker.registry.followPinList(path, { agree: 2 })
    const before = asker.registry.pinLists()
    const { store } = asker
    await asker.close()
    const again = await bench.start({ world: bench.world, seed: 2, self: undefined, store })
    expect(again.registry.pinLists()).toEqual(before)
    expect(await again.registry.followPinList(path, { follow: false })).toEqual({ agree: 2, lists: [] })
    await expect(again.registry.followPinList(path, { follow: false })).rejects.toThrow(code('SVC-PIN-003'))
  })

  it('are found by a name with its code, whose zone has the address', async () => {
    const coded = formatCodedName(ALICE as Name, codeOf(ours))!
    const zone = { records: { _pins: [{ type: 'TXT' as const, value: urlOf('/list').replace('http:', 'https:') }] } }
    bench.holdEverywhere(withZone(ours, 9, zone))
    await expect(asker.registry.followPinList(coded)).rejects.toThrow(/not followed: (?!its zone|a name)/)
    bench.holdEverywhere(withZone(ours, 10))
    asker.registry.forget(ALICE)
    await expect(asker.registry.followPinList(coded)).rejects.toThrow(/no TXT record of _pins/)
    await expect(asker.registry.followPinList(ALICE)).rejects.toThrow(/needs its check code/)
  })

  it.each<[string, (response: ServerResponse) => void, RegExp]>([
    [
      'a redirect',
      (response) => response.writeHead(302, { location: urlOf('/list') }).end(),
      /answered 302, which is not followed/
    ],
    ['a failure', (response) => response.writeHead(500).end('x'), /it answered 500\./],
    ['bytes without end', (response) => { const more = (): void => { while (response.write('x'.repeat(65_536))); response.once('drain', more) }; response.writeHead(200); more() }, /longer than 1048576 bytes/], // prettier-ignore
    ['what is no UTF-8', (response) => response.writeHead(200).end(Buffer.from([0xff, 0xfe])), /UTF-8/]
  ])('refuse %s: SVC-PIN-003', async (_what, page, why) => {
    pages['/page'] = page
    pages['/list'] = listOf('one', codeOf(ours))
    await expect(asker.registry.followPinList(urlOf('/page'))).rejects.toMatchObject({
      code: 'SVC-PIN-003',
      message: expect.stringMatching(why) as string
    })
    expect(asker.registry.pinLists().lists).toEqual([])
  })

  it('refuse other sources: SVC-PIN-003', async () => {
    const long = join(directory, 'long')
    writeFileSync(long, Buffer.alloc(MAX_LIST_BYTES + 1))
    const fifo = join(directory, 'fifo')
    execFileSync('mkfifo', [fifo])
    for (const [source, why] of [
      ['http://pins.example.org/list', /http:\/\/ is for this machine alone/],
      ['https:', /the address is not valid/],
      ['https://user:secret@pins.example.org/list', /^(?!.*(?:secret|Request)).*a name and a password/],
      ['ftp://example.org', /./],
      ['https://127.0.0.1:9/list', /port, which is for other protocols/],
      [urlOf('/list').replace('http:', 'https:'), /no TLS is spoken there .*ERR_SSL_/],
      [join(directory, 'absent'), /no such file/],
      [directory, /it is no file/],
      [fifo, /it is no file/],
      [long, /longer than/]
    ] as const)
      await expect(asker.registry.followPinList(source), source).rejects.toMatchObject({
        code: 'SVC-PIN-003',
        message: expect.stringMatching(why) as string
      })
    const good = fileOf('one', listOf('one', codeOf(ours)))
    await expect(asker.registry.followPinList(good, { key: encodeMultikey(keyOf('two').publicKey) })).rejects.toThrow(
      /signed it, not/
    )
    for (let index = 0; index < 16; index++)
      await asker.registry.followPinList(fileOf(`list-${index}`, listOf(`list-${index}`, undefined)))
    await expect(asker.registry.followPinList(good)).rejects.toThrow(/follows 16 lists/)
  })
})
