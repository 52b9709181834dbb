import { chmod, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { createWorld, MAIN_TOKEN, type World } from '../../../api/helpers/world.ts'
import { builtInProfiles } from '../../../../src/protocol/profile/built-in.ts'
import { parseRecordData } from '../../../../src/protocol/zone/record-data.ts'
import { cli, listen, type CliSettings, says } from '../../harness.ts'
import { temporary } from '../../../temporary.ts'

const NAME = 'alice.chronym'
const LOCAL = builtInProfiles.local
const A = { type: 'A' as const, value: '192.0.2.1' }
const MX = { type: 'MX' as const, value: '10 mail.example.com', ttl: 60 }

let world: World
let url: string
let directory: string

beforeEach(async () => {
  world = createWorld()
  world.node.tasks.create({ name: NAME, kind: 'register' })
  world.node.registry.saveZone(NAME, { serial: 5, records: { www: [A], '@': [MX] } })
  directory = temporary()
  const server = await listen(world.app.fetch)
  url = server.url
  return server.close
})

const zone = (args: readonly string[], settings: CliSettings = {}) =>
  cli(['--api', url, '--token', MAIN_TOKEN, '--no-json', 'zone', ...args], settings)
const saved = () => world.node.registry.localZone(NAME)?.zone

/** An editor that runs a script with the file as $1. */
async function editor(script: string): Promise<Record<string, string>> {
  const file = join(directory, 'editor.sh')
  await writeFile(file, `#!/bin/sh\n${script}\n`)
  await chmod(file, 0o700)
  return { EDITOR: file }
}

describe('zone set', () => {
  it('refuses to drop records where nobody can be asked, and names the cures', async () => {
    const { exitCode, stderr } = await zone(['set', NAME, '-r', 'www A 192.0.2.1'])
    expect(exitCode).toBe(2)
    expect(stderr).toContain('would drop 1 record; nothing was changed')
    expect(stderr).toContain(`chronym --api ${url} zone add`)
    expect(stderr).toContain('--yes')
    expect(saved()?.serial).toBe(5)
  })

  it.each([
    ['y\n', 6],
    ['n\n', 5],
    ['\n', 5],
    ['', 5]
  ])('asks on a terminal, and takes %j for serial %d', async (stdin, serial) => {
    const { stderr, exitCode } = await zone(['set', NAME, '-r', 'www A 192.0.2.1'], { terminal: true, stdin })
    expect(stderr).toMatch(/-\s+@\s+60\s+MX\s+10 mail\.example\.com/)
    expect(exitCode).toBe(serial === 6 ? 0 : 130)
    expect(saved()?.serial).toBe(serial)
  })

  it('asks nothing when nothing is dropped, and with --yes', async () => {
    expect(
      (
        await zone([
          'set',
          NAME,
          '-r',
          'www A 192.0.2.1',
          '-r',
          '@ 60 MX 10 mail.example.com.',
          '-r',
          'new A 192.0.2.2'
        ])
      ).exitCode
    ).toBe(0)
    expect((await zone(['set', NAME, '-r', 'new A 192.0.2.2', '--yes'])).exitCode).toBe(0)
    expect({ ...saved()?.records }).toEqual({ new: [{ type: 'A', value: '192.0.2.2' }] })
  })

  it('sends what it was shown as a condition: a change in between is not overwritten', async () => {
    await zone(['set', NAME, '-r', 'new A 192.0.2.2', '--yes'])
    expect(world.calls.findLast(({ operation }) => operation === 'saveZone')?.arguments[2]).toBe(5)
  })

  it('takes the serial of the zone that was read for a condition, and hands on another', async () => {
    const file = join(directory, 'zone.json')
    const sent = () => world.calls.findLast(({ operation }) => operation === 'saveZone')?.arguments[1]
    for (const [serial, expected] of [
      [5, undefined],
      [9, 9]
    ]) {
      await writeFile(file, JSON.stringify({ serial, records: { new: [A] } }))
      await zone(['set', NAME, file, '--yes'])
      expect(sent()).toEqual({ ...(expected !== undefined && { serial: expected }), records: { new: [A] } })
    }
  })

  it('refuses an empty file even with --yes, and takes a comment alone for a zone without records', async () => {
    expect(await zone(['set', NAME, '-', '--yes'], { stdin: '\n' })).toMatchObject(says(2, 'standard input is empty'))
    expect((await zone(['set', NAME, '-'], { stdin: '; none\n' })).exitCode).toBe(2)
    expect(saved()?.serial).toBe(5)
    expect((await zone(['set', NAME, '-', '--yes'], { stdin: '; none\n' })).exitCode).toBe(0)
    expect(saved()?.records).toEqual({})
  })
})

describe('zone add and rm', () => {
  it('change what they name and leave the rest', async () => {
    expect((await zone(['add', NAME, 'www', '1h', 'AAAA', '2001:db8::1'])).exitCode).toBe(0)
    expect((await zone(['add', NAME, '@ TXT "a b"', 'x A 192.0.2.3'])).exitCode).toBe(0)
    expect({ ...saved()?.records }).toEqual({
      www: [A, { type: 'AAAA', value: '2001:db8::1', ttl: 3600 }],
      '@': [MX, { type: 'TXT', value: '"a b"' }],
      x: [{ type: 'A', value: '192.0.2.3' }]
    })
    expect((await zone(['rm', NAME, 'www', 'aaaa'])).exitCode).toBe(0)
    expect((await zone(['rm', NAME, 'x', '@ TXT'])).exitCode).toBe(0)
    // Spelt otherwise, the same record.
    expect((await zone(['rm', NAME, '@ MX 10 Mail.example.com.'])).exitCode).toBe(0)
    expect({ ...saved()?.records }).toEqual({ www: [A] })
  })

  const key = `v=DKIM1; k=rsa; p=${'A'.repeat(400)}`
  it.each([
    [['spf', 'TXT', 'v=spf1 -all'], 'spf', 'v=spf1 -all', ['v=spf1 -all']],
    [['@', 'TXT', '--', '-all'], '@', '-all', ['-all']],
    [['@', 'TXT', '--', 'v=spf1', '-all'], '@', 'v=spf1 -all', ['v=spf1 -all']],
    [['@ TXT "v=spf1 -all"'], '@', '"v=spf1 -all"', ['v=spf1 -all']],
    [['@', 'TXT', '"a b"', '"c"'], '@', '"a b" "c"', ['a b', 'c']],
    [['@', 'TXT', ''], '@', '""', ['']],
    [['k._domainkey', 'TXT', key], 'k._domainkey', key, [key.slice(0, 255), key.slice(255)]],
    [[`k._domainkey TXT "${key}"`], 'k._domainkey', key, [key.slice(0, 255), key.slice(255)]]
  ])('take the words of the shell for a text: %j', async (words, label, value, strings) => {
    expect(await zone(['add', NAME, ...words])).toMatchObject({ exitCode: 0 })
    expect(saved()?.records[label]?.at(-1)).toEqual({ type: 'TXT', value })
    const data = parseRecordData('TXT', value, LOCAL)
    expect('strings' in data && data.strings.map((each) => Buffer.from(each).toString())).toEqual(strings)
    expect(await zone(['rm', NAME, ...words])).toMatchObject({ exitCode: 0 })
  })

  it.each([
    [['www', 'A 192.0.2.7'], { type: 'A', value: '192.0.2.7' }],
    [['www', '1h', 'in', 'mx', '10 mail'], { type: 'MX', value: '10 mail', ttl: 3600 }],
    [['www', 'MX', '10', 'mail'], { type: 'MX', value: '10 mail' }],
    [['www', 'CAA', '0', 'issue', 'ca.example; policy=ev'], { type: 'CAA', value: '0 issue "ca.example; policy=ev"' }],
    [['www', 'CAA', '0 issue "ca.example"'], { type: 'CAA', value: '0 issue "ca.example"' }],
    [['www', 'URI', '10', '1', 'https://a.example/'], { type: 'URI', value: '10 1 "https://a.example/"' }],
    [['www', 'HTTPS', '1', '.', 'alpn="h2,h3"'], { type: 'HTTPS', value: '1 . alpn="h2,h3"' }]
  ] as const)('put back the quotes that the shell took off: %j', async (words, record) => {
    expect(await zone(['add', NAME, ...words])).toMatchObject({ exitCode: 0 })
    expect(saved()?.records['www']?.at(-1)).toEqual(record)
    expect(() => parseRecordData(record.type, record.value, LOCAL)).not.toThrow()
  })

  it('say where a word that begins with a hyphen goes', async () => {
    const { exitCode, stderr } = await zone(['add', NAME, '@', 'TXT', 'v=spf1', '-all'])
    expect(exitCode).toBe(2)
    expect(stderr).toContain('goes after `--`')
  })

  it('of a record that is not there is refused, with all others that were named', async () => {
    expect(await zone(['rm', NAME, 'www', 'mail'])).toMatchObject(says(6, 'no record mail; nothing was changed'))
    expect(saved()?.serial).toBe(5)
  })

  it.each([
    [['add', NAME, 'www'], '"www" is not a record'],
    [['add', NAME, 'www.alice.chronym A 192.0.2.1'], 'Write "www" in its place'],
    [['add', NAME, 'Alice.Chronym. A 192.0.2.1'], 'Write "@" in its place'],
    [['rm', NAME, 'www FOO'], 'FOO is not a record type'],
    [['rm', NAME, ' '], 'selects nothing'],
    [['rm', NAME], 'missing required argument']
  ])('%j is a usage error', async (args, message) => {
    expect(await zone(args)).toMatchObject(says(2, message))
    expect(saved()?.serial).toBe(5)
  })
})

describe.skipIf(process.platform === 'win32')('zone edit', () => {
  it('opens the zone as a master file and saves what comes back, in its own spelling', async () => {
    const env = await editor(
      `grep -q '^\\$ORIGIN alice.chronym.$' "$1" || exit 1; echo 'new 1h IN A 192.0.2.8' >> "$1"`
    )
    expect((await zone(['edit', NAME], { env })).exitCode).toBe(0)
    expect({ ...saved()?.records }).toEqual({
      www: [A],
      '@': [MX],
      new: [{ type: 'A', value: '192.0.2.8', ttl: 3600 }]
    })
  })

  it('saves nothing without a change', async () => {
    expect(await zone(['edit', NAME], { env: { VISUAL: 'true', EDITOR: 'false' } })).toMatchObject(
      says(0, 'nothing was changed')
    )
    expect(saved()?.serial).toBe(5)
  })

  it.each([
    ['what is not a master file', 'FOO x', 'FOO'],
    ['what the daemon refuses', 'A x.y', 'is not an IPv4 address']
  ])('opens the file again with the error for %s', async (_what, wrong, message) => {
    const seen = join(directory, 'seen')
    const env = await editor(
      `if [ -e ${seen} ]; then cp "$1" ${seen}; sed 's/bad .*/good A 192.0.2.7/' ${seen} > "$1"; ` +
        `else touch ${seen}; echo 'bad ${wrong}' >> "$1"; fi`
    )
    expect((await zone(['edit', NAME], { env, terminal: true })).exitCode).toBe(0)
    const [remark, ...rest] = (await readFile(seen, 'utf8')).trimEnd().split('\n')
    expect(remark).toMatch(/^;! line \d+: /)
    expect(remark).toContain(message)
    const line = Number(/line (\d+)/.exec(remark!)?.[1])
    expect(rest[line - 2]).toBe(`bad ${wrong}`)
    expect(saved()?.records['good']).toEqual([{ type: 'A', value: '192.0.2.7' }])
  })

  it.each([
    ['on bad input where nobody can mend it', false, `echo 'bad FOO' >> "$1"`, 'line', 2],
    ['when bad input is left as it is', true, `grep -q bad "$1" || echo 'bad FOO' >> "$1"`, 'FOO', 2],
    ['when the editor fails', true, `echo 'bad A 192.0.2.1' >> "$1"; exit 3`, 'ended with 3', 2],
    ['when all records are taken out', false, `echo '; bad' > "$1"`, 'would drop 2 records', 2]
  ])('keeps the text and says where %s', async (_when, terminal, script, message, expected) => {
    const { exitCode, stderr } = await zone(['edit', NAME], { env: await editor(script), terminal })
    expect(exitCode).toBe(expected)
    expect(stderr).toContain(message)
    const file = /kept in (\S+);/.exec(stderr)![1]!
    expect(await readFile(file, 'utf8')).toContain('bad')
    expect(saved()?.serial).toBe(5)
  })

  it('keeps the text when somebody else changed the zone meanwhile', async () => {
    const other = join(directory, 'other.mjs')
    const request = {
      method: 'PATCH',
      headers: { Authorization: `Bearer ${MAIN_TOKEN}`, 'Content-Type': 'application/json' },
      body: '{"add": {}}'
    }
    await writeFile(other, `await fetch('${url}/api/zone/${NAME}', ${JSON.stringify(request)})`)
    const env = await editor(`echo 'mine A 192.0.2.1' >> "$1"; '${process.execPath}' '${other}'`)
    const { exitCode, stderr } = await zone(['edit', NAME], { env })
    expect(exitCode).toBe(6)
    expect(stderr).toContain('SVC-ZON-004')
    const file = /kept in (\S+);/.exec(stderr)![1]!
    expect(await readFile(file, 'utf8')).toContain('mine')
    expect(saved()).toMatchObject({ serial: 6, records: { www: [A] } })
  })

  it('needs an editor', async () => {
    expect(await zone(['edit', NAME])).toMatchObject(says(2, 'neither VISUAL nor EDITOR'))
  })
})

describe('zone import and export', () => {
  it('give back what they were given', async () => {
    const { stdout } = await zone(['export', NAME])
    expect(stdout).toContain('$ORIGIN alice.chronym.\n')
    await zone(['set', NAME, '-', '--yes'], { stdin: '; none' })
    expect((await zone(['import', NAME, '-'], { stdin: stdout })).exitCode).toBe(0)
    expect({ ...saved()?.records }).toEqual({ www: [A], '@': [{ ...MX, value: '10 mail.example.com.' }] })
  })

  it('name each line at fault, those that the daemon refuses too, and save nothing', async () => {
    expect(await zone(['import', NAME, '-', '--yes'], { stdin: 'a A 192.0.2.1\nb FOO x\nc A\n' })).toMatchObject(
      says(2, /standard input line 2: FOO[^]*line 3: A has no value/)
    )
    expect(await zone(['import', NAME, '-', '--yes'], { stdin: 'a A 192.0.2.1\n\nb A (\n x.y )\n' })).toMatchObject(
      says(6, 'SVC-ZON-002: standard input line 3: b: A: "x.y" is not an IPv4 address')
    )
    expect(await zone(['import', NAME, '-', '--yes'], { stdin: '' })).toMatchObject(says(2, 'the file is empty'))
    expect(saved()?.serial).toBe(5)
  })

  it('end as zone set does for the same fault, with cause and cure', async () => {
    for (const [stdin, exitCode, code] of [
      ['c A\n', 2, 'CLI-INP-001'],
      ['', 2, 'CLI-INP-001'],
      ['{"records": ', 2, 'CLI-INP-001'],
      ['c A x.y\n', 6, 'SVC-ZON-002']
    ] as const) {
      for (const command of ['set', 'import']) {
        const { exitCode: ended, stderr } = await zone([command, NAME, '-', '--yes'], { stdin })
        expect({ command, stdin, ended, stderr }).toMatchObject({
          ended: exitCode,
          stderr: expect.stringMatching(new RegExp(`${code}: [^]*cure: `, 'u')) as string
        })
      }
    }
    // No file is at fault here.
    expect((await zone(['set', NAME, '-r', 'c A', '--yes'])).stderr).toContain('CLI-USE-001')
    expect(saved()?.serial).toBe(5)
  })

  it('refuse to drop records unasked', async () => {
    expect(await zone(['import', NAME, '-'], { stdin: 'a A 192.0.2.1\n' })).toMatchObject(
      says(2, 'would drop 2 records')
    )
    expect(saved()?.serial).toBe(5)
  })

  it('say that an SOA is left out', async () => {
    expect(await zone(['import', NAME, '-', '--yes'], { stdin: '@ SOA a b 1 1 1 1 1\na A 192.0.2.1\n' })).toMatchObject(
      says(0, 'the SOA is left out')
    )
  })
})

describe('--publish', () => {
  const ADD = ['add', NAME, 'x', 'A', '192.0.2.9', '--publish']
  const published = () => world.calls.some(({ operation }) => operation === 'publishZone')

  beforeEach(() => world.own(NAME, { records: { www: [A] } }, 4))

  it.each([
    ['y\n', 0],
    ['\n', 130],
    ['n\n', 130]
  ])(
    'shows all lines that go live and asks where earlier edits are among them: %j ends with %d',
    async (stdin, code) => {
      const { exitCode, stderr } = await zone(ADD, { terminal: true, stdin })
      expect(exitCode).toBe(code)
      expect(stderr).toMatch(/^\+ +@ +60 +MX +10 mail\.example\.com$/mu)
      expect(stderr).toMatch(/^\+ +x +A +192\.0\.2\.9$/mu)
      expect(stderr).not.toMatch(/www/u)
      if (code === 130) expect(stderr).toContain('nothing was published; your change is in the draft, serial 6')
      expect(published()).toBe(code === 0)
    }
  )

  it('needs --yes for them where nobody can be asked, and then shows them', async () => {
    expect(await zone(ADD)).toMatchObject(
      says(2, /1 line of earlier edits live too; nothing was published.*\n.*--yes/u)
    )
    expect(published()).toBe(false)
    const { exitCode, stderr } = await zone([...ADD, '--yes'])
    expect(exitCode).toBe(0)
    expect(stderr).toMatch(/MX +10 mail/u)
  })

  it.each([
    [['rm', NAME, 'www', 'A', '--publish'], /^- +www/mu],
    [['edit', NAME, '--publish'], /^\+ +new /mu]
  ])('asks with %j too', async (args, line) => {
    const env = await editor(`echo 'new 1h IN A 192.0.2.8' >> "$1"`)
    const { exitCode, stderr } = await zone(args, { terminal: true, stdin: '\n', env })
    expect(exitCode).toBe(130)
    expect(stderr).toMatch(line)
    expect(stderr).toMatch(/MX +10 mail/u)
    expect(published()).toBe(false)
  })

  it('asks nothing where only its own lines go live, or where the whole zone was given', async () => {
    world.node.registry.saveZone(NAME, { records: { www: [A] } })
    expect(await zone(ADD)).toMatchObject({ exitCode: 0, stderr: '+  x    A  192.0.2.9\n' })
    expect(await zone(['set', NAME, '-r', 'x A 192.0.2.9', '--yes', '--publish'])).toMatchObject({
      exitCode: 0,
      stderr: '-  www    A  192.0.2.1\n'
    })
  })
})

describe('drafts', () => {
  it('are listed, told from what is published, and discarded when that is confirmed', async () => {
    expect((await zone(['get', NAME])).stdout).toContain('; draft, not published')
    for (const command of ['drafts', 'list']) expect((await zone([command])).stdout).toMatch(/alice\.chronym\s+5/)
    expect((await zone(['diff', NAME])).stdout).toMatch(/\+\s+www\s+A\s+192\.0\.2\.1/)
    expect((await zone(['discard', NAME])).exitCode).toBe(2)
    expect((await zone(['discard', NAME], { terminal: true, stdin: '\n' })).exitCode).toBe(130)
    expect(saved()?.serial).toBe(5)
    expect((await zone(['discard', NAME, '--yes'])).exitCode).toBe(0)
    expect(saved()).toBeUndefined()
    expect((await zone(['discard', NAME, '--yes'])).exitCode).toBe(4)
    expect((await zone(['diff', NAME])).stdout).toContain('has no draft')
    expect((await zone(['drafts'])).stdout).toBe('no drafts\n')
  })

  it('lose what is not published yet: that is what discarding counts', async () => {
    await world.own(NAME, { records: { www: [A] } }, 4)
    expect(await zone(['discard', NAME])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('would drop 1 record;') as string
    })
  })
})
