/**
 * Each function that reads what a socket, a file or a process gave: its longest input of one repeated mark costs little.
 * Time grows too fast where a reader looks at the same bytes again, and a stranger who finds such a text stops the daemon.
 */
import { readFileSync, globSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parseEvents } from '../src/api/client/events.ts'
import { takeSecretMember } from '../src/api/http/secret-body.ts'
import { decrypt } from '../src/backup/encryption.ts'
import { decodeContents } from '../src/backup/container.ts'
import { differences } from '../src/beacon/drand.ts'
import { decodeReply } from '../src/cli/dns/probe/ask.ts'
import { authorOf } from '../src/cli/dns/setup/apply.ts'
import { parseMasterFile } from '../src/cli/zone-file/parse.ts'
import { parseRecordLine, parseTtl } from '../src/cli/zone-file/zone-input.ts'
import { configFromFile } from '../src/config/config.ts'
import { readStateFile } from '../src/evaluations/state-file.ts'
import { ServerBounds } from '../src/farm/bounded-transport.ts'
import { authenticatorOf } from '../src/farm/credentials.ts'
import { decodeAlive, decodeReport } from '../src/farm/messages.ts'
import { BootstrapFile } from '../src/network/bootstrap/file.ts'
import { isPeerAddress } from '../src/network/bootstrap/names.ts'
import { gatewayIn } from '../src/network/mapping/gateway.ts'
import { locationIn, mappingServiceIn, valueIn } from '../src/network/mapping/router-texts.ts'
import { parseAddress } from '../src/network/node.ts'
import { decodeAnswer, decodeRequest } from '../src/network/wire/messages.ts'
import { parseAskedName } from '../src/protocol/claim/check-code.ts'
import { parseOffer } from '../src/protocol/claim/offer.ts'
import { wordsToSeed } from '../src/protocol/crypto/keys.ts'
import { fromBase64, fromHex } from '../src/protocol/encoding/bytes.ts'
import { parseCanonicalJson } from '../src/protocol/encoding/jcs.ts'
import { decodeMultikey, encodeMultikey, parseDid } from '../src/protocol/identity/did.ts'
import { local } from '../src/protocol/profile/built-in.ts'
import { MAX_LIST_BYTES, readPinList } from '../src/protocol/resolution/pin-list.ts'
import { parseRecordData } from '../src/protocol/zone/record-data.ts'
import { spellName } from '../src/util/typed-name.ts'
import { temporary } from './temporary.ts'

const ROOT = resolve(import.meta.dirname, '..')
const KiB = 1024

/** Of a request to the daemon, of a message between peers, of a datagram; of a file the longest that is sensible. */
const [BODY, MESSAGE, DATAGRAM, FILE] = [256 * KiB, 128 * KiB, 65_507, 1024 * KiB]

const MARKS = [
  '\0',
  ' ',
  '\t',
  '\n',
  '"',
  "'",
  '(',
  ')',
  '[',
  '{',
  '<',
  '>',
  '/',
  '\\',
  '%',
  '=',
  '#',
  ';',
  ':',
  '.',
  ','
]
const MORE = ['-', '_', '1', 'z', 'A', 'ä', '\x80', 'ÿ', '\r\n', '<!--', '</', '1h', 'xn--', '::', '{"a":']

interface Reader {
  readonly longest: number
  /** What comes first in a text that gets further. */
  readonly before?: string
  readonly read: (text: string, bytes: Buffer) => unknown
}

const text = (longest: number, read: (text: string) => unknown, before = ''): Reader => ({ longest, before, read })
const bytes = (longest: number, read: (bytes: Buffer) => unknown, before = ''): Reader => ({
  longest,
  before,
  read: (_, all) => read(all)
})
const file = (longest: number, read: (path: string) => unknown): Reader => {
  const path = join(temporary(), 'file')
  return bytes(longest, (all) => (writeFileSync(path, all), read(path)))
}
const quiet = { info: () => undefined, warn: () => undefined }

const ANY_KEY = encodeMultikey(new Uint8Array(32))

/** By the file that gets the bytes. */
const READERS: Readonly<Record<string, readonly Reader[]>> = {
  'network/mapping/upnp.ts': [
    bytes(DATAGRAM, locationIn),
    bytes(DATAGRAM, locationIn, 'HTTP/1.1 200 OK\r\nLOCATION:'),
    text(16 * KiB, mappingServiceIn),
    text(16 * KiB, mappingServiceIn, '<service><serviceType'),
    text(16 * KiB, (xml) => valueIn(xml, 'errorCode')),
    text(16 * KiB, (xml) => valueIn(xml, 'errorCode'), '<errorCode')
  ],
  'network/mapping/gateway.ts': [text(128 * KiB, gatewayIn), text(128 * KiB, gatewayIn, 'default')],
  'network/bootstrap/names.ts': [
    text(DATAGRAM, isPeerAddress),
    text(DATAGRAM, isPeerAddress, '/ip4/1.2.3.4/tcp/1/p2p/')
  ],
  'registry/resolution/pin-lists.ts': [
    text(MAX_LIST_BYTES, (list) => readPinList(list, local, Infinity)),
    text(MAX_LIST_BYTES, (list) => readPinList(list, local, Infinity), 'chronym-pins=v1 1 z6Mk'),
    text(MAX_LIST_BYTES, (list) => readPinList(list, local, Infinity), `chronym-pins=v1 1 ${ANY_KEY}\n`)
  ],
  'network/bootstrap/file.ts': [file(256 * KiB, (path) => new BootstrapFile(path, quiet))],
  'network/wire/frame.ts': [
    bytes(MESSAGE, decodeRequest),
    bytes(MESSAGE, (all) => decodeAnswer({ type: 'time' }, all)),
    bytes(MESSAGE, (all) => parseCanonicalJson(all, { maxBytes: MESSAGE }))
  ],
  'api/http/body.ts': [
    text(BODY, (name) => parseAskedName(name, local)),
    text(BODY, (name) => parseAskedName(name, local), 'a--'),
    text(BODY, spellName),
    text(BODY, (did) => parseDid(did, local), 'did:chronym:z'),
    text(BODY, decodeMultikey, 'z'),
    text(BODY, parseOffer, 'chronym:offer/'),
    text(BODY, fromBase64),
    text(BODY, fromHex),
    text(BODY, parseAddress),
    text(BODY, parseAddress, '/ip4/1.2.3.4/tcp/1/p2p/'),
    ...(['TXT', 'SVCB', 'CAA', 'AAAA', 'MX'] as const).map((type) =>
      text(4 * local.limits.payload_bytes, (value) => parseRecordData(type, value, local))
    )
  ],
  'api/http/secret-body.ts': [bytes(BODY, (json) => takeSecretMember(json, 'seed'), '{"seed":"')],
  'api/client/events.ts': [
    bytes(BODY, async (all) => {
      const events = parseEvents(once(all))
      while ((await events.next()).done !== true);
    })
  ],
  'beacon/drand.ts': [text(16 * KiB, (json) => differences(JSON.parse(json), local.beacon))],
  'farm/bounded-transport.ts': ['', 'MSG '].map((start) =>
    bytes(FILE, (all) => new ServerBounds(() => 0).faultOf(all), start)
  ),
  'farm/credentials.ts': [file(FILE, (path) => authenticatorOf(path))],
  'farm/link.ts': [bytes(FILE, decodeReport), bytes(FILE, decodeAlive)],
  'backup/kept/kept-file.ts': [
    bytes(FILE, decodeContents),
    bytes(FILE, (all) => decrypt(all, { passphrase: 'x' }), 'age-encryption.org/v1\n')
  ],
  'evaluations/state-file.ts': [file(FILE, (path) => readStateFile(path, Buffer.alloc(32)))],
  'config/config.ts': [file(64 * KiB, (path) => configFromFile(path, true))],
  'cli/input/files.ts': [
    text(FILE / 2, (zone) => parseMasterFile(zone, 'alice.chronym')),
    text(FILE / 2, (zone) => parseMasterFile(zone, 'alice.chronym'), '@ IN TXT '),
    text(BODY, parseRecordLine),
    text(BODY, parseTtl, '1')
  ],
  'cli/key/seed.ts': [text(FILE, (words) => wordsToSeed(words))],
  'cli/dns/probe/ask.ts': [bytes(DATAGRAM, (all) => decodeReply(all, 0))],
  'cli/dns/setup/host.ts': [text(BODY, authorOf)]
}

/** Read no bytes of others, or hand them on to a reader above, to a library (docs/threat-model.md), or to Rust. */
const OTHERS: readonly string[] = [
  'api/client/client.ts',
  'api/client/did-resolver.ts',
  'api/client/proven-fetch.ts',
  'api/client/transport.ts',
  'api/middleware/head-length.ts',
  'api/routes/daemon.ts',
  'api/routes/tasks.ts',
  'api/serve.ts',
  'backup/kept/create-keeper.ts',
  'backup/make.ts',
  'beacon/client.ts',
  'cli/backup/open.ts',
  'cli/commands/daemon/config.ts',
  'cli/commands/daemon/daemon.ts',
  'cli/commands/names/pins.ts',
  'cli/https/cert.ts',
  'cli/identity/recovery-key.ts',
  'cli/input/questions.ts',
  'cli/pins/publish.ts',
  'cli/self-check/files.ts',
  'cli/task/task.ts',
  'cli/vdf/report.ts',
  'cli/vdf/verify.ts',
  'cli/zone/edit.ts',
  'data-directory/private-files.ts',
  'data-directory/running-record.ts',
  'data-directory/seed-files.ts',
  'dns/listen.ts',
  'evaluations/earlier-progress.ts',
  'farm/evaluation.ts',
  'farm/worker.ts',
  'native/pool/evaluation.ts',
  'network/bootstrap/mdns.ts',
  'network/holder/identities/offered-documents.ts',
  'network/mapping/port-control.ts',
  'network/upkeep/replication.ts',
  'store/inspect.ts',
  'store/lock.ts',
  'util/bounded-body.ts',
  'util/port-holder.ts',
  'util/run-apart.ts',
  'util/secret-input.ts',
  'util/utf8.ts',
  'version.ts',
  'web/index.ts',
  'web/modules.ts'
]

async function* once(all: Uint8Array): AsyncGenerator<Uint8Array, void> {
  yield all
}

/**
 * Milliseconds of the processor: the least of five runs, since the first ones compile, and other work adds. A run that
 * takes less than `enoughMs` is the last.
 */
async function leastCost({ read }: Reader, all: Buffer, enoughMs: number): Promise<number> {
  const asText = all.toString('utf8')
  let least = Infinity
  for (let run = 0; run < 5 && least >= enoughMs; run++) {
    const start = process.cpuUsage()
    try {
      await read(asText, all)
    } catch {
      // A refusal is an answer.
    }
    const { user, system } = process.cpuUsage(start)
    least = Math.min(least, (user + system) / 1000)
  }
  return least
}

/** At most for the longest input, on a machine that runs nothing else. */
const BOUND_MS = 50
/** No machine is so slow or so busy that a linear reader takes ten times as long. */
const NO_MACHINE_MS = 10 * BOUND_MS
/** Times the cost of a quarter: four for a linear reader, sixteen for a quadratic one. */
const MOST_GROWTH = 8

function filled({ before: head = '', longest }: Reader, mark: string, share: number): Buffer {
  const before = Buffer.from(head)
  const length = Math.floor((longest - before.length) * share)
  return Buffer.concat([before, Buffer.alloc(length, mark, mark.length === 1 ? 'latin1' : 'utf8')])
}

/** The time alone is no proof: on a slow machine a linear reader takes over 50 ms too. */
async function isLinear(reader: Reader, mark: string, cost: number): Promise<boolean> {
  if (cost < BOUND_MS) return true
  return cost < NO_MACHINE_MS && cost < MOST_GROWTH * (await leastCost(reader, filled(reader, mark, 0.25), 0))
}

describe.each(Object.entries(READERS))('what %s gets', (_, readers) => {
  it.each(readers.map((reader, index) => [index + 1, reader] as const))(
    'is read in linear time (reader %i)',
    async (_, reader) => {
      const slow: string[] = []
      for (const mark of [...MARKS, ...MORE]) {
        const cost = await leastCost(reader, filled(reader, mark, 1), BOUND_MS)
        if (!(await isLinear(reader, mark, cost))) slow.push(`${JSON.stringify(mark)}: ${cost.toFixed(0)} ms`)
      }
      expect(slow).toEqual([])
    }
  )
})

it('each file that gets bytes or text from outside is named', () => {
  const GETS =
    /\.on(?:ce)?\('(?:message|data)'|read(?:Text)?File(?:Sync)?\(|readSync\(|execFile(?:Sync)?\(|spawn(?:Sync)?\(|\bfetch\(|for await \(|resolveTxt\(|\.arrayBuffer\(|createInterface\(/
  const files = globSync('src/**/*.ts', { cwd: ROOT }).filter((path) => !path.startsWith('src/web/assets'))
  const getting = files.filter((path) => GETS.test(readFileSync(join(ROOT, path), 'utf8')))
  expect(getting.map((path) => path.slice('src/'.length)).toSorted()).toEqual(
    [...Object.keys(READERS), ...OTHERS].toSorted()
  )
})
