import decodeQR from 'qr/decode.js'
import { afterEach, describe, expect, it } from 'vitest'
import type { OwnedNameView } from '../../../../src/views/own.ts'
import { utf8 } from '../../../../src/protocol/encoding/bytes.ts'
import { checkCodeOf, SHORT_CODE } from '../../../../src/protocol/claim/check-code.ts'
import { profile } from '../../../registry/test-profile.ts'
import { revealWith } from '../../../api/helpers/records.ts'
import { MAIN_TOKEN } from '../../../api/helpers/world.ts'
import { DaemonScene } from '../../daemon-scene.ts'
import { cli, type CliResult, type CliSettings } from '../../harness.ts'

const UTF8 = { env: { LANG: 'C.UTF-8' }, terminal: true }
const ours = (name: string, state: OwnedNameView['state'] = 'live'): OwnedNameView => ({
  name,
  state,
  check_code: CHECK_CODE,
  coded_name: null,
  lease_end: '2026-11-28T12:00:00.000Z',
  serial: 1,
  published_serial: 1,
  records: 1,
  renewal: { state: 'scheduled', due: '2026-11-27T19:12:00.000Z', task_id: null, left: 64 },
  warnings: []
})

const CHECK_CODE = '7kq2mx0123456789abcdefghjk'
/** The name of somebody else. */
const BOB = revealWith(utf8('no zone'), 'bob.chronym')
const BOB_CODE = checkCodeOf(BOB, profile).slice(0, SHORT_CODE)

/** What a camera sees of half blocks, light ones lit, each module three pixels wide. */
function scanned(rows: readonly string[]): string {
  const lit = rows.flatMap((row) => ['█▀', '█▄'].map((blocks) => Array.from(row, (block) => blocks.includes(block))))
  const pixels = lit.flatMap((row) => Array<boolean[]>(3).fill(row.flatMap((light) => [light, light, light])))
  const data = Uint8Array.from(pixels.flat().flatMap((light) => (light ? [255, 255, 255] : [0, 0, 0])))
  return decodeQR({ width: pixels[0]!.length, height: pixels.length, data })
}

describe('chronym share', () => {
  const scene = new DaemonScene()
  afterEach(() => scene.end())

  async function share(name: string, args: readonly string[] = [], settings?: CliSettings): Promise<CliResult> {
    const { url, world } = await scene.daemon()
    world.answers.ownedNames = () => [
      ...['alice.chronym', 'xn--bcher-kva.chronym', `${'a'.repeat(56)}.chronym`].map((each) => ours(each)),
      ours('lost.chronym', 'lost')
    ]
    world.hold(BOB)
    return cli(['--api', url, '--token', MAIN_TOKEN, 'share', name, ...args], settings)
  }

  it('gives the coded name of an own name and its link', async () => {
    const { exitCode, stdout, stderr } = await share('ALICE', ['--json'])
    expect([exitCode, stderr]).toEqual([0, ''])
    expect(JSON.parse(stdout)).toEqual({
      name: 'alice.chronym',
      coded_name: 'alice--7kq2mx.chronym',
      check_code: CHECK_CODE,
      link: 'http://alice--7kq2mx.chronym/'
    })
    const longer = JSON.parse((await share('alice', ['--characters', '26', '--json'])).stdout) as { coded_name: string }
    expect(longer.coded_name).toBe(`alice--${CHECK_CODE}.chronym`)
  })

  it('draws the link as a QR code that a reader reads, light on dark whatever the terminal', async () => {
    const { stdout, stderr } = await share('alice', [], UTF8)
    expect(stdout).toMatch(/^coded name +alice--7kq2mx\.chronym\nlink +http:\/\/alice--7kq2mx\.chronym\/\n\n/)
    expect(scanned(stdout.trimEnd().split('\n').slice(3))).toBe('http://alice--7kq2mx.chronym/')
    expect(stderr).toBe('')
    const coloured = await share('alice', [], { ...UTF8, env: { ...UTF8.env, FORCE_COLOR: '1' } })
    const rows = coloured.stdout.trimEnd().split('\n').slice(3)
    expect(
      rows.filter((row) => !row.startsWith('\u001b[97m\u001b[40m') || !row.endsWith('\u001b[49m\u001b[39m'))
    ).toEqual([])
  })

  it('draws none where it would be broken', async () => {
    expect((await share('alice', [], { ...UTF8, columns: 36 })).stdout).toContain('too narrow for the QR code')
    for (const where of [{ terminal: true }, { ...UTF8, terminal: false }])
      expect((await share('alice', [], where)).stdout).not.toMatch(/[█▀▄]/u)
  })

  it('shows both forms of a name beyond ASCII', async () => {
    const { stdout } = await share('bücher', [], UTF8)
    expect(stdout).toContain('bücher--7kq2mx.chronym (xn--bcher--7kq2mx-wob.chronym)\n')
    expect(stdout).toContain('http://xn--bcher--7kq2mx-wob.chronym/\n')
  })

  it('gives name and code apart where DNS has no room for both', async () => {
    const long = `${'a'.repeat(56)}.chronym`
    const { exitCode, stdout } = await share(long, [], UTF8)
    expect(exitCode).toBe(0)
    expect(stdout).toMatch(
      /^name +a+\.chronym\ncheck code +7kq2mx\n\n.*63 octets of DNS: give name and code apart\.\n$/
    )
    expect(JSON.parse((await share(long, ['--json'])).stdout)).toEqual({
      name: long,
      coded_name: null,
      check_code: CHECK_CODE,
      link: null
    })
  })

  it('says of a name that is not ours where its code is from, unless it was given with one', async () => {
    const { stdout, stderr } = await share('bob', [], UTF8)
    expect(stdout).toContain(`bob--${BOB_CODE}.chronym`)
    expect(stderr).toBe(
      '• bob.chronym is not of this daemon: the code is what the network shows now, not what its owner gave you\n'
    )
    const coded = await share(`bob--${BOB_CODE.toUpperCase()}`, [], UTF8)
    expect([coded.stdout, coded.stderr]).toEqual([stdout, ''])
  })

  it('asks the network for a name that is lost, and refuses what nobody has, or no length of a code', async () => {
    expect(await share('lost')).toMatchObject({ exitCode: 4, stdout: '' })
    expect(await share('carol')).toMatchObject({ exitCode: 4, stdout: '' })
    expect(await share('bob--zzzzzz')).toMatchObject({ exitCode: 6, stdout: '' })
    for (const characters of ['5', '27', 'six'])
      expect(await share('alice', ['--characters', characters])).toMatchObject({ exitCode: 2, stdout: '' })
  })
})
