import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Finding, verdictLine } from '../../../src/cli/self-check/findings.ts'
import { REVEAL, REVEAL_BODY } from '../../api/helpers/records.ts'
import { cli, says } from '../harness.ts'
import {
  DONE,
  TASK,
  OWNED,
  WELL,
  EXPLANATION,
  PINS,
  STATUS,
  YOUNG,
  GROWN,
  shown,
  daemon,
  url,
  ask
} from '../fake-daemon.ts'
import { temporary } from '../../temporary.ts'

// eslint-disable-next-line no-control-regex -- what a terminal must not get
const CONTROL = /[\0-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e]/u
const SEED_FILE = join(temporary(), 'seed')
beforeAll(() => writeFileSync(SEED_FILE, '01'.repeat(32)))

describe('answers', () => {
  it('are the JSON of the daemon with --json', async () => {
    expect(JSON.parse((await ask(['tasks', '--json'])).stdout)).toEqual([TASK, { ...DONE, task_id: 't2' }])
  })

  it('are a table on a terminal', async () => {
    expect((await ask(['tasks'], { terminal: true })).stdout.split('\n').slice(0, 2)).toEqual([
      'name           kind      state      done    left   task',
      'alice.chronym  register  evaluate   50.0%   2.0 s  t1'
    ])
  })

  it('show a zone as record lines that zone set reads, without control characters', async () => {
    const { stdout } = await ask(['zone', 'get', 'alice.chronym'], { terminal: true })
    expect(stdout).toContain(String.raw`"evil \027[2J"`)
    expect(stdout).not.toContain('\u001b')
    await ask(['zone', 'set', 'alice.chronym', '-', '--yes'], { stdin: stdout })
    expect(daemon.requests.at(-1)?.body).toEqual({
      records: {
        www: [{ type: 'A', value: '192.0.2.1', ttl: 60 }],
        '@': [{ type: 'TXT', value: String.raw`"evil \027[2J"` }]
      }
    })
  })

  it('of names show lease, renewal and what their owner should know', async () => {
    expect(JSON.parse((await ask(['names', '--json'])).stdout)).toEqual([OWNED, WELL])
    const lines = (await ask(['names'], { terminal: true })).stdout.split('\n')
    expect(lines[0]).toMatch(/^name +code +state +lease ends +renewal +left +zone$/)
    expect(lines[1]).toMatch(
      /^alice\.chronym +7kq2mx +live +2000-01-08, .* ago +failed; tried again +64 +2 not published$/
    )
    expect(lines[2]).toMatch(/now +64 +published$/)
    shown.names = [{ ...WELL, records: 0 }]
    expect((await ask(['names', '--no-json'])).stdout).toMatch(/now +64 +empty$/m)
    expect(stripVTControlCharacters(lines[3]!)).toBe(String.raw`warning alice.chronym: Its renewal failed \u001b[2J`)
  })

  it('of no manifest tell from none whether too few peers answered', async () => {
    expect(await ask(['manifest', 'show', 'did:chronym:zNone'])).toMatchObject(says(4, 'has no manifest'))
    expect(await ask(['manifest', 'show', 'did:chronym:zSilent'])).toMatchObject(says(7, 'too few peers answered'))
  })

  it('of no names say which ones are being registered, and where that shows', async () => {
    shown.names = []
    const { stdout } = await ask(['names'], { terminal: true })
    shown.names = [OWNED, WELL]
    expect(stdout).toMatch(/^no names yet; alice\.chronym is being registered: chronym .*tasks$/m)
  })

  it('of names and adopt say what is looked for, and the exit code whether all of it was found', async () => {
    const lost = String.raw`lost.chronym  not-found: Nobody shows it \u001b[2J`
    expect((await ask(['names'], { terminal: true })).stdout).toContain(`looked for in the network:\n${lost}`)
    expect(await ask(['adopt'], { terminal: true })).toMatchObject({ exitCode: 0, stdout: `${lost}\n` })
    expect(await ask(['adopt', 'alice.chronym'])).toMatchObject({ exitCode: 0 })
    const both = await ask(['adopt', 'alice.chronym', 'bob.chronym', '--json'])
    expect(both.exitCode).toBe(1)
    expect(JSON.parse(both.stdout)).toMatchObject([{ state: 'adopted' }, { state: 'other-owner' }])
    expect(JSON.parse((await ask(['adopt', '--forget', 'bob.chronym', '--json'])).stdout)).toEqual({
      forgotten: ['bob.chronym']
    })
    expect((await ask(['adopt', '--forget'])).exitCode).toBe(2)
  })

  it('of the status tell which names need looking after, to those who may know', async () => {
    expect(JSON.parse((await ask(['status', '--json'])).stdout)).toEqual({
      ...STATUS,
      warned_names: [{ name: OWNED.name, warnings: OWNED.warnings }]
    })
    expect(stripVTControlCharacters((await ask(['status'], { terminal: true })).stdout)).toContain(
      'warning alice.chronym: '
    )
    const stranger = await cli(['--api', url, '--data-dir', '/nonexistent', 'status', '--json'])
    expect(JSON.parse(stranger.stdout)).toEqual(STATUS)
  })

  it('of the status tell that the seed is locked and what waits for it', async () => {
    shown.seed = {
      state: 'locked',
      sealed: true,
      kept_elsewhere: true,
      waiting: [{ what: 'renew', name: 'alice.chronym', task_id: 't1' }]
    }
    const { stdout } = await ask(['status'], { terminal: true })
    expect(stripVTControlCharacters(stdout)).toContain(
      `the seed is locked: 1 signature waits: renew alice.chronym\n  unlock it: chronym --api ${url} unlock`
    )
    expect(JSON.parse((await ask(['status', '--json'])).stdout)).toMatchObject({ seed: shown.seed })
  })

  it('of the status say in one line what a young network is missing', async () => {
    const diversityOf = async (answered: Record<string, unknown>): Promise<string[]> => {
      shown.status = answered
      const { stdout } = await ask(['status'], { terminal: true })
      return stripVTControlCharacters(stdout)
        .split('\n')
        .filter((line) => line.startsWith('diversity'))
    }
    expect(await diversityOf(YOUNG)).toEqual([
      String.raw`diversity  2 of the 11 diverse peers that an answer needs \u001b[2J`
    ])
    for (const quiet of [STATUS, GROWN, { ...YOUNG, status: 'offline' }]) expect(await diversityOf(quiet)).toEqual([])
  })

  it('of an explanation show the verdict, what it rests on, and who was silent', async () => {
    expect(JSON.parse((await ask(['explain', 'alice.chronym', '--json'])).stdout)).toEqual(EXPLANATION)
    const text = stripVTControlCharacters((await ask(['explain', 'alice.chronym'], { terminal: true })).stdout)
    expect(text.split('\n')[0]).toBe(EXPLANATION.verdict)
    expect(text).toMatch(/^rule +majority: The majority wins\.$/m)
    expect(text).toMatch(/^resolves +yes \(settled\)$/m)
    expect(text).toContain(String.raw`- 1 of 2 asked have answered \u001b[2J`)
    expect(text).toMatch(/^this daemon +settled +counts +abababababababab +cdcdcdcdcdcdcdcd +3$/m)
    expect(text).toMatch(/^12D3KooX +busy$/m)
  })

  it('of resolve say whose it is, until when, how sure, what it has', async () => {
    expect(JSON.parse((await ask(['resolve', REVEAL.name, '--json'])).stdout)).toMatchObject({
      ...REVEAL_BODY,
      source: 'held'
    })
    expect((await ask(['resolve', REVEAL.name], { terminal: true })).stdout).toMatch(
      new RegExp(
        `^name +${REVEAL.name}\\nowner +${Buffer.from(REVEAL.pubkey).toString('hex')}\\nlease +until 2000-01-08T00:00:00.000Z \\(.* ago\\)\\n` +
          'confidence +settled\\nsource +no peer answers: this is a record that the daemon holds for others\\n' +
          'answered +.* ago; peers are asked again\\n\\n' +
          '; serial 4\\n@ +TXT +"network"\\n$',
        'u'
      )
    )
  })

  it('of doctor end with the verdict and the exit code', async () => {
    const args = ['--api', 'http://127.0.0.1:1', '--token', 'x', '--data-dir', '/nonexistent']
    const { stdout, exitCode } = await cli([...args, 'doctor', '--no-json', '--no-color'])
    expect([stdout.trimEnd().split('\n').at(-1), exitCode]).toEqual(['1 problem; exit code 1', 1])
    const verdict = (...states: Finding['state'][]): string =>
      verdictLine(
        states.map((state) => ({ name: 'x', state, detail: '' })),
        (_style, text) => text
      )
    expect(verdict('ok')).toBe('all well; exit code 0')
    expect(verdict('ok', 'warning')).toBe('no problems, 1 warning; exit code 0')
    expect(verdict('failed', 'warning', 'failed')).toBe('2 problems, 1 warning; exit code 1')
  })

  it('of pins show owner, state and what comes next', async () => {
    expect(JSON.parse((await ask(['pins', '--json'])).stdout)).toEqual(PINS)
    const lines = (await ask(['pins', 'list'], { terminal: true })).stdout.split('\n')
    expect(lines[0]).toMatch(/^name +check code +owner +state +since +second look +until$/)
    expect(lines[1]).toMatch(
      /^alice\.chronym +7kq2mx4q8r7kq2mx4q8r7kq2mx +(01){32} +tentative +.+ +due .+ +2026-11-23T12:00:00\.000Z$/
    )
    expect(lines[2]).toMatch(/^bob\.chronym +7kq2\w+ +(01){32} +tentative, contested by (02){32} /)
    expect(lines[3]).toMatch(/^carol\.chronym +7kq2\w+ +(01){32} +firm +.+ +firm .+ +2026-11-23/)
    expect(JSON.parse((await ask(['pins', 'forget', 'alice.chronym', '--json'])).stdout)).toEqual({ success: true })
    expect(daemon.requests.at(-1)).toMatchObject({ method: 'DELETE', path: '/api/pins/alice.chronym' })
    expect((await ask(['pins', 'forget', 'alice.chronym'], { terminal: true })).stdout).toBe(
      'the owner of alice.chronym is forgotten; the next look decides\n'
    )
    expect((await ask(['pins', 'forget'])).exitCode).toBe(2)
  })

  it('of lists of published pins show how fresh they are, and what is wrong with a publisher', async () => {
    const { stdout } = await ask(['pins', 'lists'], { terminal: true })
    expect(stdout).toMatch(
      /^https:\/\/pins\.example\.org\/list\.txt\n {2}1 name, made .* ago, fetched .* ago\n {2}key z6MkOne\n\/b\n/
    )
    expect(stdout).toContain('  not fetched since: gone ')
    expect(stdout).not.toContain('\u001b[2J')
    expect(stdout).toContain('  ROLLED BACK: it now shows a list made 1999-01-01T00:00:00.000Z; the newer one holds')
    expect(stdout).toMatch(/ {2}EQUIVOCATES: .*\n {4}alice\.chronym: 7kq2mx4q8r7k and none\n/)
    expect(stdout.trimEnd().split('\n').at(-1)).toBe('a bare name is pinned where 2 publishers agree and none differs')
    await ask(['pins', 'follow', 'https://pins.example.org/list.txt', '--key', 'z6MkOne', '--agree', '2', '--json'])
    const source = 'https://pins.example.org/list.txt'
    expect(daemon.requests.at(-1)).toMatchObject({ path: '/api/pin-lists', body: { source, key: 'z6MkOne', agree: 2 } })
    await ask(['pins', 'unfollow', source, '--json'])
    expect(daemon.requests.at(-1)).toMatchObject({ path: '/api/pin-lists', body: { source, follow: false } })
  })

  it('of a look-up have the code of --code in the question', async () => {
    for (const [words, path] of [
      [['resolve'], '/api/resolve/alice.chronym'],
      [['explain'], '/api/explain/alice.chronym'],
      [['zone', 'get'], '/api/zone/alice.chronym']
    ] as const) {
      await ask([...words, 'alice', '--code', '7kq2mx', '--json'])
      expect(daemon.requests.at(-1)).toMatchObject({ path, query: 'code=7kq2mx' })
    }
    expect((await ask(['resolve', 'did:chronym:zQm', '--code', '7kq2mx'])).exitCode).toBe(2)
  })

  it('of pinned codes: all lines are tried first, spelt as names are, and export has what lasts', async () => {
    const stdin = '# ours\nAlice--7KQ2MX\n\nbücher--7kq2mx.chronym  # a comment\nlong.chronym 7kq2mx4q\n'
    const codes = ['alice--7kq2mx.chronym', 'xn--bcher--7kq2mx-wob.chronym', 'long.chronym 7kq2mx4q']
    const before = daemon.requests.length
    const answer = await ask(['pins', 'import', '-'], { stdin, terminal: true })
    expect(answer.stdout).toBe('3 names are pinned by code, 0 had that code before\n')
    const posts = daemon.requests.slice(before).filter(({ method }) => method === 'POST')
    expect(posts.map(({ body }) => body)).toEqual([
      { codes, dry_run: true },
      { codes, dry_run: false }
    ])
    await ask(['pins', 'import', '--dry-run', '-'], { stdin })
    expect(daemon.requests.at(-1)!.body).toEqual({ codes, dry_run: true })
    expect((await ask(['pins', 'import', '-'], { stdin: '# nothing\n' })).exitCode).toBe(2)
    await ask(['pins', 'add', 'alice--7kq2mx'])
    expect(daemon.requests.at(-1)!.body).toEqual({ codes: codes.slice(0, 1), dry_run: false })
    expect((await ask(['pins', 'export'])).stdout).toBe(`carol.chronym ${PINS[2]!.check_code}\n`)
  })

  it('pick one field of the configuration', async () => {
    expect((await ask(['config', 'get', 'api.port'])).stdout).toBe('7468\n')
    expect((await ask(['config', 'get', 'mode', '--no-json'])).stdout).toBe('full\n')
    expect((await ask(['config', 'get', 'nothing'])).exitCode).toBe(4)
  })
})

describe('names', () => {
  it.each([
    ['Carol', 'carol.chronym'],
    ['CAROL.Chronym.', 'carol.chronym'],
    ['bücher', 'xn--bcher-kva.chronym'],
    ['BU\u0308CHER.chronym', 'xn--bcher-kva.chronym'],
    ['xn--bcher-kva', 'xn--bcher-kva.chronym']
  ])('typed as %s are asked for as %s, by every command', async (typed, name) => {
    for (const [words, path] of [
      [['explain'], `/api/explain/${name}`],
      [['pins', 'forget'], `/api/pins/${name}`],
      [['zone', 'get'], `/api/zone/${name}`],
      [['adopt', '--forget'], `/api/wanted/${name}`]
    ] as const) {
      const before = daemon.requests.length
      const { stderr } = await ask([...words, typed])
      expect(daemon.requests.slice(before).map((request) => request.path)).toContain(path)
      expect(stderr).toBe(name.startsWith('xn--') ? '• bücher.chronym is xn--bcher-kva.chronym\n' : '')
    }
  })

  it('of options are spelt alike, by the network of --network where no daemon is asked', async () => {
    await ask(['kid', 'create', '--name', 'Carol', '--network', 'local', '--seed-file', SEED_FILE])
    expect(daemon.requests.at(-1)?.path).toBe('/api/resolve/carol.chronym')
  })

  it('that mix scripts are refused before anybody is asked, and a DID stays as it is', async () => {
    const before = daemon.requests.length
    expect(await ask(['register', '\u0430pple'])).toMatchObject(says(2, 'it mixes letters of Cyrillic and Latin'))
    expect(daemon.requests).toHaveLength(before)
    await ask(['resolve', 'did:chronym:zQm'])
    expect(daemon.requests.at(-1)?.path).toBe('/api/resolve-kid/did%3Achronym%3AzQm')
  })

  it.each(['alice', 'Alice', 'ALICE.chronym.'])('name a task too: %s', async (typed) => {
    await ask(['status', typed])
    expect(daemon.requests.at(-1)?.path).toBe('/api/vdf/status/t1')
  })
})

describe('what was typed', () => {
  const evil = 'a\u001b[2J\u202e\u009bb'

  it.each([
    [['explain', evil]],
    [[evil]],
    [['resolve', `${evil}.chronym`]],
    [['zone', 'add', 'alice.chronym', `${evil}.alice.chronym`, 'A', '192.0.2.1']],
    [['zone', 'rm', 'alice.chronym', evil]],
    [['status', `${evil}.chronym`]],
    [['config', 'set', evil]],
    [['config', 'get', evil]],
    [['completion', evil]],
    [['zone', 'set', 'alice.chronym', `/no/${evil}`]]
  ])('is escaped where an error repeats it: %j', async (args) => {
    for (const more of [[], ['--json']]) {
      const { stdout, stderr, exitCode } = await ask([...args, ...more, '--no-color'], { terminal: true })
      expect(exitCode).not.toBe(0)
      expect(stdout + stderr).not.toMatch(CONTROL)
    }
  })

  it('reaches a terminal no more raw as JSON, whose text says the same', async () => {
    const { stdout } = await ask(['resolve', `did:${evil}`, '--json'], { terminal: true })
    expect(stdout).not.toMatch(CONTROL)
    expect(JSON.parse(stdout)).toMatchObject({ kid_document: { id: `did:${evil}` } })
  })
})

/** As a site, a peer, a worker or the owner of a name may write it: hidden, and in a line that looks like one of ours. */
const FORGED = 'x\u001b[8my\nok     stores: forged'

describe('texts of others', () => {
  /** Sentences, and what holds a space; not what a command reads itself: names, states, times, numbers in text. */
  const isRead = (text: string): boolean => /^(?:[\w.:+/-]*|\/errors\/.*)$/u.test(text)
  beforeEach(() => {
    shown.text = (text) => (isRead(text) ? text : `${text} ${FORGED}`)
    shown.names = [{ ...OWNED, warnings: [{ code: 'x', message: FORGED }] }, WELL]
    shown.checks = [{ name: 'beacon', ok: false, detail: FORGED }]
    shown.status = { ...YOUNG }
    shown.seed = { state: 'locked', sealed: true, kept_elsewhere: true, waiting: [{ what: FORGED, name: FORGED }] }
  })

  it.each(
    [
      ...['tasks', 'tasks bad', 'status', 'status bad', 'status t1', 'names', 'adopt', 'adopt alice.chronym', 'peers'],
      ...['explain alice.chronym', `resolve ${REVEAL.name}`, 'resolve nobody', 'resolve did:chronym:zQm', 'pins list'],
      ...['zone get alice.chronym', 'zone diff alice.chronym', 'zone publish alice.chronym', 'share alice.chronym'],
      ...['backup status', 'farm', 'dns', 'dns status', 'config get', 'doctor', 'network', 'peers connect nobody'],
      ...[
        'task t1',
        'renew alice.chronym --yes',
        'resume bad',
        'manifest show did:chronym:zQm',
        'https test alice.chronym'
      ]
    ].map((line) => [line])
  )('hide nothing and add no line: %s', async (line) => {
    const { stdout, stderr } = await ask([...line.split(' '), '--no-json'], { terminal: true })
    const said = stdout + stderr
    expect(said).not.toBe('')
    expect(said).not.toContain('\u001b[8m')
    expect(said).not.toMatch(/^ok {5}stores: forged/mu)
  })
})

describe('requests', () => {
  it('carry records given as options', async () => {
    const { exitCode, stdout } = await ask([
      'zone',
      'set',
      'alice.chronym',
      '-r',
      'www A 192.0.2.1',
      '-r',
      '@ 60 TXT hi',
      '--if-serial',
      '3',
      '--publish',
      '--yes',
      '--json'
    ])
    expect(exitCode).toBe(0)
    expect(JSON.parse(stdout)).toEqual({ success: true, serial: 4, stored_by: 2, of: 3 })
    const [save, publish] = daemon.requests.filter(({ method }) => method === 'POST').slice(-2)
    expect(save).toMatchObject({
      method: 'POST',
      path: '/api/zone/alice.chronym',
      body: { records: { www: [{ type: 'A', value: '192.0.2.1' }], '@': [{ type: 'TXT', value: 'hi', ttl: 60 }] } }
    })
    expect(save?.headers.get('if-match')).toBe('"3"')
    expect(publish).toMatchObject({ method: 'POST', path: '/api/zone/alice.chronym/publish' })
  })

  it('carry configuration as nested fields with their types', async () => {
    await ask(['config', 'set', 'mode=light', 'vdf.queue=7', 'api.allowed_hosts=["a"]', 'log.level=debug'])
    expect(daemon.requests.at(-1)?.body).toEqual({
      mode: 'light',
      vdf: { queue: 7 },
      api: { allowed_hosts: ['a'] },
      log: { level: 'debug' }
    })
    for (const list of ['a, 22', '["a","22"]']) {
      await ask(['config', 'set', `api.allowed_hosts=${list}`])
      expect(daemon.requests.at(-1)?.body).toEqual({ api: { allowed_hosts: ['a', '22'] } })
    }
    await ask(['config', 'set', 'log.level', 'debug'])
    expect(daemon.requests.at(-1)?.body).toEqual({ log: { level: 'debug' } })
  })

  it('carry an idempotency key with a registration', async () => {
    const { stdout } = await ask(['register', '--yes', '--no-wait', '--json', 'alice.chronym'])
    expect(JSON.parse(stdout)).toEqual({ task_id: 't1', message: 'started' })
    expect(daemon.requests.at(-1)?.headers.get('idempotency-key')).toMatch(/^[0-9a-f-]{36}$/)
  })
})
