/**
 * docs/transfer.md by its own commands: a name from before change words gets them, is sold, sold again, and leaves a stolen
 * seed. Each daemon that acts is killed after it. Meanwhile another one looks every second for what ssh and https ask.
 */
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, expect, it } from 'vitest'
import type { KeysView } from '../../src/views/keys.ts'
import type { OwnedNameView } from '../../src/views/own.ts'
import { cli } from '../cli/harness.ts'
import { query, RCODE, read } from '../dns/message.ts'
import { acquainted, cheap, eventually, register, Scene, type Daemon } from './processes.ts'

const scene = new Scene()
afterAll(() => scene.end())

const NAME = 'alice.chronym'
const PAGE = readFileSync(resolve(import.meta.dirname, '../../docs/transfer.md'), 'utf8')
/** A change that both keys sign is final after seconds, one with one signature after forty seconds. */
const PROFILE = { ...cheap(), id: 'walk', contest: 3, settle: 8, provisional_settle: 8, grace: 20, pin_after: 4 }
/** The questions of programs: the address, the key of ssh, and that of https below the name. */
const QUESTIONS = [
  ['', 1],
  ['', 44],
  ['_443._tcp.', 52]
] as const

const zone = (value: string): object => ({
  records: {
    '@': [
      { type: 'A', value },
      { type: 'SSHFP', value: `4 2 ${'ab'.repeat(32)}` }
    ],
    '_443._tcp': [{ type: 'TLSA', value: `3 1 1 ${'cd'.repeat(32)}` }]
  }
})

interface Step {
  readonly who: string
  readonly command: string
}

/** The commands of the page below a heading, each with the person whose daemon it is for. */
function stepsOf(heading: string): readonly Step[] {
  const [, section = ''] = new RegExp(`^## ${heading}\n([^]*?)(?=^## |$(?![^]))`, 'm').exec(PAGE) ?? []
  return [...section.matchAll(/^ *```sh\n([^]*?)^ *```/gm)].flatMap(([, block]) => {
    let who = ''
    return block!.split('\n').flatMap((line) => {
      const [command = '', comment = ''] = line.split(/(?:^| +)# /)
      if (command.trim() !== '') return [{ who, command: command.trim() }]
      if (comment !== '') who = comment.split(',')[0]!
      return []
    })
  })
}

/** A person with a data directory, and a folder for files. */
class Person {
  readonly data: string
  readonly files: string
  daemon!: Daemon
  readonly #start: (data: string) => Promise<Daemon>

  constructor(root: string, who: string, start: (data: string) => Promise<Daemon>) {
    this.data = join(root, who, 'data')
    this.files = join(root, who, 'files')
    mkdirSync(this.files, { recursive: true })
    this.#start = start
  }

  async begin(): Promise<void> {
    this.daemon = await this.#start(this.data)
  }

  async killed(): Promise<void> {
    await this.daemon.signal('SIGKILL')
    await this.begin()
  }

  /** As a shell does in the folder of this person, who answers `y` to a question. */
  async types(command: string): Promise<string> {
    const [words, target] = command.split(' > ')
    const [program, ...args] = words!.split(' ')
    expect(program).toBe('chronym')
    const given = args.map((arg, index) =>
      index > 1 && (arg === 'words' || arg === 'offer') ? join(this.files, arg) : arg
    )
    const isAsked = target === undefined
    const { exitCode, stdout, stderr } = await cli(['--data-dir', this.data, ...given], {
      env: {},
      terminal: isAsked,
      stdin: 'y\n'
    })
    expect(exitCode, `${command}\n${stdout}${stderr}`).toBe(0)
    if (target !== undefined) writeFileSync(join(this.files, target), stdout)
    return stdout
  }

  async keys(): Promise<KeysView> {
    return (await this.daemon.request('GET', `/api/names/${NAME}/keys`)).body as KeysView
  }

  async state(): Promise<string | undefined> {
    const names = (await this.daemon.request('GET', '/api/names')).body as OwnedNameView[]
    return names.find(({ name }) => name === NAME)?.state
  }

  async becomes(state: string | undefined): Promise<void> {
    await eventually(
      async () => {
        // By itself it looks less and less often.
        if (state === 'live') await this.daemon.request('POST', '/api/wanted', { id: NAME })
        return this.state()
      },
      (found) => found === state
    )
  }

  async publishes(value: string): Promise<void> {
    expect(await this.daemon.request('POST', `/api/zone/${NAME}`, zone(value))).toMatchObject({ status: 200 })
    await eventually(
      () => this.daemon.request('POST', `/api/zone/${NAME}/publish`),
      ({ status }) => status === 200
    )
  }
}

interface Look {
  readonly asked: string
  readonly rcode: number
  readonly answers: number
  readonly signed: boolean
}

/** Looks each second, by name and by code. */
class Watch {
  readonly gaps: Look[] = []
  looks = 0
  /** While set, an answer without AD is a gap too. */
  isSigned = false
  readonly #daemon: Daemon
  readonly #names: readonly string[]
  #ended: Promise<void> | undefined
  #isOver = true

  constructor(daemon: Daemon, names: readonly string[]) {
    this.#daemon = daemon
    this.#names = names
  }

  begin(): void {
    this.#isOver = false
    this.#ended = (async () => {
      while (!this.#isOver) {
        const mustBeSigned = this.isSigned
        const seen = await this.look()
        this.looks += seen.length
        this.gaps.push(...seen.filter((each) => !isAnswered(each) || (mustBeSigned && this.isSigned && !each.signed)))
        await sleep(1000)
      }
    })()
  }

  async end(): Promise<void> {
    this.#isOver = true
    await this.#ended
  }

  async look(): Promise<Look[]> {
    return Promise.all(
      this.#names.flatMap((name) =>
        QUESTIONS.map(async ([below, type]): Promise<Look> => {
          const response = await fetch(`${this.#daemon.summary.api_url}/dns-query`, {
            method: 'POST',
            headers: { 'Content-Type': 'application/dns-message', connection: 'close' },
            body: query(`${below}${name}`, type)
          })
          const { rcode, answers, ad } = read(new Uint8Array(await response.arrayBuffer()))
          return { asked: `${below}${name} ${type}`, rcode, answers: answers.length, signed: ad }
        })
      )
    )
  }

  /** Once each answer is signed again, it must stay so. An answer that was kept from before is let go of. */
  async signed(): Promise<void> {
    await this.end()
    await eventually(
      async () => {
        await this.#daemon.request('POST', '/api/dns/flush', { name: NAME })
        return this.look()
      },
      (seen) => seen.every((each) => isAnswered(each) && each.signed)
    )
    this.isSigned = true
    this.begin()
  }
}

const isAnswered = ({ rcode, answers }: Look): boolean => rcode === RCODE.noerror && answers > 0

it('holds word by word: the name never stops leading somewhere, whoever owns it and whoever is killed', async () => {
  const root = scene.directory()
  const network = join(root, 'profile.json')
  writeFileSync(network, JSON.stringify(PROFILE))
  const start = (data: string, bootstrap?: Daemon): Promise<Daemon> =>
    scene.daemon([
      ...['--network', network, '--data-dir', data, '--log-level', 'warn'],
      ...(bootstrap === undefined ? [] : ['--bootstrap', bootstrap.address])
    ])
  const witness = await start(join(root, 'witness'))
  /** Once it is able to ask. */
  const started = async (data: string): Promise<Daemon> => {
    const daemon = await start(data, witness)
    await acquainted(witness, daemon)
    await eventually(
      () => daemon.request('GET', '/api/network-status'),
      ({ body }) => body.status === 'online' && body.beacon.round !== null
    )
    return daemon
  }
  const person = (who: string): Person => new Person(root, who, started)
  const [owner, buyer, second] = [person('owner'), person('buyer'), person('second')]
  for (const each of [owner, buyer, second]) await each.begin()
  await acquainted(witness, owner.daemon, buyer.daemon, second.daemon)
  await register(owner.daemon, NAME, { zone: zone('192.0.2.1') })
  const { check_code: code, claim_id: claim } = await owner.keys()
  const watch = new Watch(witness, [NAME, NAME.replace('.', `--${code.slice(0, 6)}.`)])
  scene.onEnd(() => watch.end())
  await watch.signed()
  const isFinal = (at: Person): Promise<KeysView> =>
    eventually(
      () => at.keys(),
      ({ final, coded }) => final && coded.final_votes * 2 > coded.votes
    )

  // Make change words, for a name that has none: it keeps what programs know of it until the notice is final
  for (const { who, command } of stepsOf('Make change words')) {
    expect(who).toMatch(/^the owner/)
    await owner.types(command)
    await owner.killed()
  }
  expect(await owner.keys()).toMatchObject({ own: true, changes: 0, change_key: true, notice: { own: true } })
  await eventually(
    () => owner.keys(),
    ({ changes, notice }) => changes === 1 && notice === null
  )
  await isFinal(owner)
  await watch.signed()

  // Sell, and sell again
  const sale = async (seller: Person, taker: Person, value: string): Promise<void> => {
    const changes = (await taker.keys()).changes + 1
    for (const { who, command } of stepsOf('Sell, buy, give away')) {
      const at = who === 'the buyer' ? taker : seller
      if (command.includes('accept')) watch.isSigned = false
      if (command === `chronym release ${NAME}`) {
        await taker.becomes('live')
        await isFinal(taker)
        await seller.becomes('sold')
      }
      const said = await at.types(command)
      if (command.endsWith('> offer')) copyFileSync(join(taker.files, 'offer'), join(seller.files, 'offer'))
      if (command.includes('status')) expect(said).toMatch(/^The keys of .* The last change is (?:not )?final/)
      if (/change-words words|> offer|accept|release/.test(command)) await at.killed()
    }
    expect(await seller.state()).toBeUndefined()
    expect(await taker.types(`chronym transfer status ${NAME}`)).toMatch(/The last change is final, for [2-9] of/)
    expect(await taker.keys()).toMatchObject({ check_code: code, claim_id: claim, changes, consented: true, own: true })
    await taker.publishes(value)
    await watch.signed()
  }
  await sale(owner, buyer, '192.0.2.2')
  await sale(buyer, second, '192.0.2.3')

  // A stolen seed: all names to a daemon with another one
  const fresh = person('fresh')
  await fresh.begin()
  copyFileSync(join(second.files, 'words'), join(fresh.files, 'words'))
  watch.isSigned = false
  for (const { who, command } of stepsOf('Rotate and recover')) {
    const at = who === 'the new daemon' ? fresh : second
    await at.types(command.replace('DIRECTORY', fresh.data))
    await at.killed()
  }
  await fresh.becomes('live')
  await isFinal(fresh)
  await second.becomes('sold')
  // The thief of the old seed signs no more.
  expect(await second.daemon.request('POST', `/api/zone/${NAME}/publish`)).toMatchObject({
    status: 403,
    body: { code: 'SVC-OWN-002' }
  })
  await fresh.publishes('192.0.2.4')
  await watch.signed()
  expect(await fresh.keys()).toMatchObject({ check_code: code, claim_id: claim, changes: 4, own: true })

  await watch.end()
  expect(watch.gaps).toEqual([])
  expect(watch.looks).toBeGreaterThan(0)
})
