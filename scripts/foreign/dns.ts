/**
 * Programs that ask our server, and resolvers behind it, on a machine of its own: `onItsOwnMachine` runs this script in
 * namespaces. Writes outcomes as JSON.
 */
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startWorld, startZone, WORLD } from './dns-scene.ts'
import { type Outcome, outcome } from './outcome.ts'
import { judge, judgeStub, RESOLVERS } from './resolvers.ts'
import { said } from './said.ts'
import { dnskeyLine, type Route } from '../../src/cli/dns/route.ts'

const NAMES = ['alice.chronym', 'www.alice.chronym', 'x.wild.alice.chronym', 'nothing.alice.chronym', 'nobody.chronym']
const PORT = 7453

interface Asked {
  readonly route: Route
  readonly address: string
  /** The key of the zone, in a file of one line. */
  readonly key: string
  readonly directory: string
}

/** Each line of a table of queries with what the reply must show, after the list of ISC's test of EDNS compliance. */
const COMPLIANCE: readonly (readonly [options: string, shows: RegExp])[] = [
  ['+noedns', /status: NOERROR/],
  ['+edns=0', /EDNS: version: 0/],
  ['+noednsneg +edns=100', /status: BADVERS[^]*EDNS: version: 0/],
  ['+ednsopt=100', /status: NOERROR[^]*EDNS: version: 0/],
  ['+noednsneg +edns=100 +ednsopt=100', /status: BADVERS/],
  ['+ednsflags=0x80', /status: NOERROR[^]*EDNS: version: 0, flags:;/],
  ['+dnssec', /EDNS: version: 0, flags: do;[^]*RRSIG/],
  ['+dnssec +bufsize=512 +ignore -t TXT long.alice.chronym', /flags:[^;]* tc/],
  ['+tcp -t TXT long.alice.chronym', /ANSWER: 7/],
  ['+cookie', /COOKIE: [0-9a-f]{48} \(good\)/],
  ['+noednsneg +edns=100 +cookie', /status: BADVERS[^]*COOKIE: [0-9a-f]{48} \(good\)/],
  ['+opcode=STATUS +cookie', /status: NOTIMP[^]*COOKIE: [0-9a-f]{48} \(good\)/],
  ['+subnet=192.0.2.0/24', /status: NOERROR/],
  ['+nsid', /status: NOERROR/],
  ['+keepalive +tcp', /TCP KEEPALIVE/i],
  ['-c CH', /status: REFUSED/]
]

async function dig({ address }: Asked): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  for (const [options, shows] of COMPLIANCE) {
    const name = options.includes(' -t ') || options.startsWith('-t') ? [] : ['alice.chronym']
    const text = await said('dig', [
      '+tries=1',
      '+norec',
      '+qr',
      `@${address}`,
      '-p',
      String(PORT),
      ...name,
      ...options.split(' ')
    ])
    outcomes.push(outcome(`dig ${options}`, shows.test(text.split(';; Got answer:').at(-1)!), text))
  }
  return outcomes
}

async function delv({ address, route, directory }: Asked): Promise<Outcome[]> {
  const anchors = join(directory, 'anchors')
  const { flags, algorithm, publicKey } = route.anchor
  writeFileSync(anchors, `trust-anchors { chronym. static-key ${flags} 3 ${algorithm} "${publicKey}"; };\n`)
  const asked = NAMES.map(async (name) => {
    const text = await said('delv', [`@${address}`, '-p', String(PORT), '-a', anchors, '+root=chronym', name, 'A'])
    return outcome(`delv validates ${name}`, text.includes('fully validated'), text)
  })
  return Promise.all(asked)
}

async function drill({ address, key }: Asked): Promise<Outcome[]> {
  const text = await said('drill', ['-S', '-k', key, '-p', String(PORT), `@${address}`, 'alice.chronym', 'A'])
  return [outcome('drill chases the signature to the key', text.includes('Chase successful'), text)]
}

async function kdig({ address }: Asked): Promise<Outcome[]> {
  const asked = ['+tcp', '+dnssec', '+cookie', '+padding', '+nsid'].map(async (option) => {
    const text = await said('kdig', [`@${address}`, '-p', String(PORT), option, 'alice.chronym', 'A'])
    return outcome(`kdig ${option}`, text.includes('192.0.2.1') && !/WARNING/.test(text), text)
  })
  return Promise.all(asked)
}

/** In its output `E:` begins an error, `W:` a warning, and a status in brackets is `[.]` or `[S]` where all is well. */
async function dnsviz({ address, key, directory }: Asked): Promise<Outcome[]> {
  const file = join(directory, 'probed.json')
  const server = `chronym+:localhost=${address}:${PORT}`
  const probed = await said('dnsviz', ['probe', '-4', '-A', '-a', 'chronym', '-x', server, '-o', file, ...NAMES])
  const text = await said('dnsviz', ['print', '-t', key, '-r', file])
  const isWell = text.includes('192.0.2.1') && !/^\s*[EW]:|\[[-!?]\]/m.test(text)
  return [outcome('dnsviz finds no error and no warning', isWell, probed + text)]
}

const PROGRAMS = { dig, delv, drill, kdig, dnsviz }

const [what] = process.argv.slice(2)
const world = startWorld()
const outcomes: Outcome[] = []
if (what === 'resolvers')
  for (const isForwarding of [false, true]) {
    for (const resolver of RESOLVERS) outcomes.push(...(await judge(resolver, isForwarding)))
    outcomes.push(...(await judgeStub(isForwarding)))
  }
else {
  const zone = startZone(WORLD.address, PORT, false)
  const directory = mkdtempSync(join(tmpdir(), 'foreign-'))
  const key = join(directory, 'key')
  writeFileSync(key, `${dnskeyLine(zone.route)}\n`)
  for (const program of Object.values(PROGRAMS))
    outcomes.push(...(await program({ route: zone.route, address: zone.address, key, directory })))
  await zone.stop()
}
await world.stop()
process.stdout.write(`${JSON.stringify(outcomes)}\n`)
