/**
 * Calls functions of the addon many times, in rounds. Prints as JSON the least growth of the process in a round, in
 * bytes: a leak shows in every round, the engine's own growth does not. `node --expose-gc leak-probe.ts PROBE`; without
 * a probe it prints which there are, what they call, and all there is to call. One probe a process: memory freed by one
 * would hide another's leak.
 */
import { generateKeyPairSync } from 'node:crypto'
import { signDevPulse } from '../../src/beacon/dev-beacon.ts'
import { addon } from '../../src/native/addon.ts'
import type { DnsServer } from '../../src/native/dns.ts'
import { DEV_BEACON_CHAIN } from '../../src/protocol/profile/built-in.ts'

/** Calls a round: a hundred thousand in all rounds together. */
const MANY = 17_000
/** Of those that others cover in part, or that compute for a tenth of a millisecond. */
const SOME = 5000
/** Of those that compute for milliseconds: what they could lose are a key's coefficients, 20 KB and more. */
const FEW = 200
/** The first rounds warm caches and heaps up. */
const WARM_ROUNDS = 2
const MEASURED_ROUNDS = 4

const native = addon()
const stop = new Uint32Array(new SharedArrayBuffer(4))
const seed = new Uint8Array(32).fill(3)
/** So small that a verification takes a tenth of a millisecond. */
const BITS = 16
const discriminant = native.Discriminant.fromSeed(seed, BITS)
const magnitude = discriminant.bytes()
const keyBytes = new Uint8Array(Buffer.from(DEV_BEACON_CHAIN.public_key, 'hex'))
const key = new native.ChainKey(keyBytes)
const pulse = signDevPulse(1)
const evaluation = new native.Evaluation(discriminant, null, 2 ** 40, null, 2 ** 20)
evaluation.advance(200, stop)
const state = evaluation.state()
const intermediates = evaluation.intermediates(0)
const done = new native.Evaluation(discriminant, null, 10, null, 2 ** 20)
done.advance(1000, stop)
const proof = done.proof()!
const kept: Uint8Array[] = []
let dns: DnsServer | undefined

const verifier = new native.Verifier(10)
const questions = [proof, proof.subarray(1)].map((each) => ({
  seed,
  bits: BITS,
  iterations: 10,
  split: null,
  proof: each
}))
const malformed = questions.map((question) => ({ ...question, proof: proof.subarray(1) }))

/** Of those whose threads take a quarter of a second to end. */
const A_FEW = 4
const dnsKey = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'der' })
const startDns = (): DnsServer =>
  native.DnsServer.start(
    {
      tld: 'chronym',
      key: dnsKey,
      serial: 1,
      listen: [{ transport: 'tcp', address: '127.0.0.1', port: 0 }],
      tls: null,
      forward: [],
      isPublic: false,
      cacheBytes: 2 ** 20
    },
    () => undefined
  )
/** `alice.chronym A 192.0.2.1`: owner, type, class, TTL, length, data. */
const dnsRecord = Buffer.from('05616c696365076368726f6e796d00000100010000012c0004c0000201', 'hex')
/** Asks for it. */
const dnsQuery = Buffer.from('00070100000100000000000005616c696365076368726f6e796d0000010001', 'hex')

interface Probe {
  /** Names of exports. */
  calls: string[]
  count: number
  /** One call at a time: a promise is awaited. */
  call: () => unknown
  /**
   * Never returns to the event loop, as an evaluation doesn't; the others do now and then, as the workers for checks
   * do.
   */
  busy?: boolean
}

const probes: Record<string, Probe> = {
  /** What a leak looks like to this instrument. */
  'control: a hundred bytes kept': { calls: [], count: MANY, call: () => kept.push(new Uint8Array(8)) },
  discriminants: {
    calls: ['Discriminant', 'Discriminant.fromSeed', 'Discriminant.fromBytes'],
    count: MANY,
    call: () => {
      native.Discriminant.fromSeed(seed, BITS)
      native.Discriminant.fromBytes(magnitude)
    }
  },
  evaluations: {
    calls: ['Evaluation'],
    count: MANY,
    call: () => new native.Evaluation(discriminant, null, 100, null, 2 ** 20).advance(1, stop)
  },
  resuming: {
    calls: ['Evaluation.resume'],
    count: MANY,
    call: () => native.Evaluation.resume(discriminant, state, intermediates)
  },
  refusals: {
    calls: [],
    count: MANY,
    call: () => {
      refused(() => native.Discriminant.fromSeed(seed, BITS - 1))
      refused(() => native.Discriminant.fromBytes(seed))
      refused(() => new native.Evaluation(discriminant, null, 100, 100, 2 ** 20))
      refused(() => native.Evaluation.resume(discriminant, state.subarray(1), intermediates), 'INVALID_CHECKPOINT')
      refused(() => new native.ChainKey(seed))
      key.verify(1, seed)
      native.verifyProof(discriminant, null, 10, proof.subarray(1), 0)
    }
  },
  stamps: { calls: ['searchStamp'], count: MANY, call: () => native.searchStamp(seed, 200, 0, 2, stop) },
  'messages to the service manager': {
    calls: ['notify'],
    count: MANY,
    call: () => refused(() => native.notify('/nobody/reads/here', 'WATCHDOG=1'), 'NOTIFY_FAILED')
  },
  'giving way to other threads': { calls: ['bePreempted'], count: MANY, call: () => native.bePreempted() },
  'locks of directories': {
    calls: ['DirectoryLock', 'DirectoryLock.isTaken', 'DirectoryLock.release'],
    count: MANY,
    call() {
      const lock = new native.DirectoryLock(import.meta.dirname)
      if (!lock.isTaken()) lock.release()
    }
  },
  keys: { calls: ['ChainKey'], count: FEW, call: () => new native.ChainKey(keyBytes) },
  pulses: { calls: ['ChainKey.verify'], count: FEW, call: () => key.verify(1, pulse) },
  proofs: { calls: ['verifyProof'], count: SOME, call: () => native.verifyProof(discriminant, null, 10, proof, 0) },
  verifiers: { calls: ['Verifier'], count: MANY, call: () => new native.Verifier(10) },
  batches: {
    calls: ['Verifier.verify'],
    count: SOME,
    call: () => {
      verifier.verify(questions, stop)
      verifier.verify(malformed, stop)
      refused(() => verifier.verify([{ ...malformed[0]!, bits: 7 }], stop))
    }
  },
  'knowledge of a DNS server': {
    calls: [
      'DnsServer',
      'DnsServer.setZone',
      'DnsServer.setAbsent',
      'DnsServer.setFailed',
      'DnsServer.flush',
      'DnsServer.addresses',
      'DnsServer.anchor',
      'DnsServer.stats'
    ],
    count: SOME,
    call: () => {
      const server = (dns ??= startDns())
      server.setZone('alice.chronym', dnsRecord, { secure: false, reason: 'settling' }, 1000, 1000)
      server.setAbsent('bob.chronym', 1000, 1000)
      server.setFailed('carol.chronym', 22, 'offline', 1000)
      refused(() => server.setZone('alice.chronym', dnsRecord.subarray(1), { secure: true, reason: '' }, 1, 1))
      server.flush(null)
      server.addresses()
      server.anchor()
      server.stats()
    }
  },
  authorities: {
    calls: [
      'authorityCertificate',
      'authoritySuffix',
      'serverCertificate',
      'DnsServer.mint',
      'DnsServer.setProxy',
      'DnsServer.proxyPort',
      'DnsServer.localAddress',
      'DnsServer.forgetKeyed'
    ],
    // Each opens a socket: what such a call could lose are kilobytes.
    count: 1000,
    call: () => {
      const server = (dns ??= startDns())
      const authority = native.authorityCertificate(dnsKey, 'chronym', 1_795_000_000)
      server.mint(dnsKey, authority)
      native.authoritySuffix(authority)
      refused(() => native.authoritySuffix(dnsKey))
      native.serverCertificate(dnsKey, ['alice.chronym'], 1_795_000_000)
      refused(() => server.mint(dnsKey, dnsKey))
      server.mint(null, new Uint8Array(0))
      server.setProxy({
        address: '127.0.0.1',
        port: 0,
        allowPrivate: [],
        localPorts: [],
        keyed: [],
        onKeyed: () => undefined
      })
      server.proxyPort()
      server.forgetKeyed('alice.chronym')
      server.localAddress('alice.chronym', ['192.0.2.1'])
      server.setProxy(null)
    }
  },
  'replies of a DNS server': {
    calls: ['DnsServer.query'],
    count: SOME,
    call: async () => {
      const server = (dns ??= startDns())
      server.setZone('alice.chronym', dnsRecord, { secure: true, reason: '' }, 1000, 1000)
      await server.query(dnsQuery, '127.0.0.1')
    }
  },
  'DNS servers': { calls: ['DnsServer.start', 'DnsServer.close'], count: A_FEW, call: () => startDns().close() },
  'results, busy': {
    calls: ['Discriminant.bytes', 'Evaluation.state', 'Evaluation.intermediates', 'Evaluation.proof'],
    count: MANY,
    call: () => {
      discriminant.bytes()
      evaluation.state()
      evaluation.intermediates(0)
      done.proof()
    },
    busy: true
  },
  'slices, busy': {
    calls: [
      'Evaluation.setThreads',
      'Evaluation.advance',
      'Evaluation.phase',
      'Evaluation.phaseProgress',
      'Evaluation.remaining',
      'Evaluation.squarings',
      'Evaluation.iterations',
      'Evaluation.split',
      'Evaluation.intermediateCount',
      'version',
      'backend',
      'steps',
      'compiler'
    ],
    count: MANY,
    call: () => {
      evaluation.setThreads(1)
      evaluation.advance(1, stop)
      evaluation.phase()
      evaluation.phaseProgress()
      evaluation.remaining()
      evaluation.squarings()
      evaluation.iterations()
      evaluation.split()
      evaluation.intermediateCount()
      native.version()
      native.backend()
      native.steps()
      native.compiler()
    },
    busy: true
  }
}

function refused(call: () => unknown, code = 'INVALID_ARGUMENT'): void {
  try {
    call()
  } catch (error) {
    if ((error as { code?: string }).code === code) return
    throw error
  }
  throw new Error('this call should have been refused')
}

function collect(): void {
  globalThis.gc?.()
}

const turn = async (): Promise<void> => await new Promise((resolve) => setImmediate(resolve))

async function growth({ count, call, busy = false }: Probe): Promise<number> {
  let least = Infinity
  for (let round = 0; round < WARM_ROUNDS + MEASURED_ROUNDS; round++) {
    const before = process.memoryUsage.rss()
    for (let index = 0; index < count; index++) {
      const result = call()
      if (result instanceof Promise) await result
      if (!busy && index % 500 === 0) await turn()
    }
    collect()
    if (!busy) {
      // What a collection found to be released is released in a turn, and then collected.
      await turn()
      collect()
      await turn()
    }
    if (round >= WARM_ROUNDS) least = Math.min(least, process.memoryUsage.rss() - before)
  }
  return least
}

/** Functions, classes and their methods, as probes name them. */
function exported(): string[] {
  const builtIn = new Set(['length', 'name', 'prototype', 'arguments', 'caller', 'constructor'])
  const members = (of: object): string[] => Object.getOwnPropertyNames(of).filter((name) => !builtIn.has(name))
  return Object.entries(native as unknown as Record<string, { prototype: object }>).flatMap(([name, value]) => [
    name,
    ...[...members(value), ...members(value.prototype)].map((member) => `${name}.${member}`)
  ])
}

const chosen = probes[process.argv[2] ?? '']
const report =
  chosen === undefined
    ? {
        exported: exported(),
        probes: Object.fromEntries(Object.entries(probes).map(([name, { calls }]) => [name, calls]))
      }
    : await growth(chosen)
process.stdout.write(`${JSON.stringify(report)}\n`)
await dns?.close()
