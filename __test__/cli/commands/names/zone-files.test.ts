/** What comes from other programs: exports of providers, key tools, editors of other encodings. */
import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { createWorld, MAIN_TOKEN, type World } from '../../../api/helpers/world.ts'
import { cli, listen, says, type CliSettings } from '../../harness.ts'
import { temporary } from '../../../temporary.ts'

const NAME = 'alice.chronym'

let world: World
let url: string
let directory: string

beforeEach(async () => {
  world = createWorld()
  world.node.tasks.create({ name: NAME, kind: 'register' })
  world.node.registry.saveZone(NAME, { serial: 5, records: {} })
  directory = temporary()
  const server = await listen(world.app.fetch)
  url = server.url
  return server.close
})

const zone = (args: readonly string[], settings: CliSettings = {}) =>
  cli(['--api', url, '--token', MAIN_TOKEN, '--no-json', 'zone', ...args], settings)
const saved = () => world.node.registry.localZone(NAME)?.zone
const records = () => saved()?.records
async function file(content: string | Uint8Array, name = 'zone'): Promise<string> {
  await writeFile(join(directory, name), content)
  return join(directory, name)
}
const imported = async (content: string | Uint8Array, ...options: string[]) =>
  zone(['import', NAME, await file(content), ...options])

describe('zone import', () => {
  it('leaves out the NS of the name, which would hide all else, and keeps them when asked', async () => {
    const text =
      '@ SOA a. b. 1 2 3 4 5\n@ NS ns1.example.net.\n@ NS ns2.example.net.\n@ A 192.0.2.1\nsub NS ns.example.net.\n'
    expect(await imported(text)).toMatchObject(says(0, /line 2 and 1 more: the NS of the name itself is left out/))
    expect(records()).toEqual({
      '@': [{ type: 'A', value: '192.0.2.1' }],
      sub: [{ type: 'NS', value: 'ns.example.net.' }]
    })
    expect(await imported(text, '--keep-ns')).toMatchObject(
      says(0, 'NS at @ delegates the whole name to other servers: 2 records')
    )
    expect(records()?.['@']).toHaveLength(3)
  })

  it('raises a TTL that is too low, and says so once', async () => {
    expect(await imported('@ 1 A 192.0.2.1\nwww 1 A 192.0.2.1\nftp 60 A 192.0.2.1\n')).toMatchObject(
      says(0, 'line 1 and 1 more: a TTL of 1 s is raised to 30 s')
    )
    expect(Object.values(records()!).map(([record]) => record?.ttl)).toEqual([30, 30, 60])
  })

  it('cuts a key that is one long string, and reads escapes of a bare word', async () => {
    await imported(`k TXT "v=DKIM1; p=${'A'.repeat(300)}"\ns TXT v=DKIM1\\;k=rsa\n`)
    expect(records()?.['k']).toEqual([{ type: 'TXT', value: `"v=DKIM1; p=${'A'.repeat(244)}" "${'A'.repeat(56)}"` }])
    expect(records()?.['s']).toEqual([{ type: 'TXT', value: '"v=DKIM1;k=rsa"' }])
  })

  it('adds the closing dot that ssh-keygen -r leaves out', async () => {
    const text = `${NAME} IN SSHFP 4 1 4ed5ea28adb65a7dd9f2f4d348874a6c3b7c024b\n@ MX 10 mail.${NAME}\n`
    expect(await imported(text)).toMatchObject(says(0, `${NAME} has no closing dot, and is taken for ${NAME}.`))
    expect(records()).toEqual({
      '@': [
        { type: 'SSHFP', value: '4 1 4ed5ea28adb65a7dd9f2f4d348874a6c3b7c024b' },
        { type: 'MX', value: '10 mail' }
      ]
    })
  })

  it('takes underscores in targets, and warns of an address in the place of a name', async () => {
    expect(await imported('a CNAME x_y.example.org.\n@ MX 10 192.0.2.1.\n')).toMatchObject(
      says(0, '@ MX 10 192.0.2.1.: the target looks like an address')
    )
    expect(records()?.['a']).toEqual([{ type: 'CNAME', value: 'x_y.example.org.' }])
  })

  it('keeps the octets of a file that is not UTF-8, and refuses UTF-16 by its name', async () => {
    expect((await imported(Buffer.from('@ IN TXT "caf\xe9" ; \xfc\nb TXT \\\xe9\n', 'latin1'))).exitCode).toBe(0)
    expect(records()).toEqual({
      '@': [{ type: 'TXT', value: String.raw`"caf\233"` }],
      b: [{ type: 'TXT', value: String.raw`"\233"` }]
    })
    expect(await imported(Buffer.from('\uFEFF@ 300 IN A 192.0.2.1\n', 'utf16le'))).toMatchObject(
      says(2, 'it is UTF-16')
    )
  })
})

describe('zone set', () => {
  it('refuses lines that are not UTF-8, and names the line and the octet', async () => {
    const lines = await file(Buffer.from('@ A 192.0.2.1\n@ 300 TXT "M\xfcller"\n', 'latin1'))
    expect(await zone(['set', NAME, lines])).toMatchObject(says(2, 'line 2 has the octet 0xFC'))
    expect(saved()?.serial).toBe(5)
  })

  it('refuses JSON with two members of one name, and labels that are whole names', async () => {
    const twice = await file(
      '{"records":{"@":[{"type":"A","value":"192.0.2.1"}],"@":[{"type":"A","value":"192.0.2.2"}]}}'
    )
    expect(await zone(['set', NAME, twice])).toMatchObject(says(2, '"@" occurs twice'))
    const whole = await file(`{"records":{"www.${NAME}":[{"type":"A","value":"192.0.2.1"}]}}`)
    expect(await zone(['set', NAME, whole])).toMatchObject(says(2, `www.${NAME} is a whole name`))
    expect(saved()?.serial).toBe(5)
  })
})

describe('a remark', () => {
  it('says which records a delegation hides, after each way to save', async () => {
    expect(await zone(['add', NAME, 'sub NS ns1.sub', 'x.sub A 192.0.2.1', 'www A 192.0.2.1'])).toMatchObject(
      says(0, /NS at sub delegates sub to other servers: 1 record here can't be seen \(x\.sub A\)/)
    )
    expect(await zone(['add', NAME, '@', 'NS', 'ns.example.org.'])).toMatchObject(
      says(0, 'NS at @ delegates the whole name to other servers')
    )
  })

  it('does not count the addresses of the servers', async () => {
    const { stderr } = await zone(['add', NAME, 'sub NS ns1.sub.alice.chronym.', 'ns1.sub A 192.0.2.1'])
    expect(stderr).not.toContain("can't be seen")
  })
})

it('an editor that saves another encoding changes no octet', async () => {
  const script = join(directory, 'editor.sh')
  await writeFile(script, '#!/bin/sh\nprintf \'x TXT "caf\\351"\\n\' >> "$1"\n')
  await chmod(script, 0o700)
  expect((await zone(['edit', NAME], { env: { VISUAL: script } })).exitCode).toBe(0)
  expect(records()).toEqual({ x: [{ type: 'TXT', value: String.raw`"caf\233"` }] })
})
