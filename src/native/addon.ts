/** The one importer of the Rust addon: finds it, checks that it is ours, and gives the cure when it is missing. */
import { createRequire } from 'node:module'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { VERSION } from '../version.ts'
import type { DnsQuestion, DnsServer, DnsServerClass, DnsServerOptions } from './dns.ts'
import { NativeError, type NativeErrorCode, type ProofQuestion } from './types.ts'
import { INSTALL_AGAIN, missingCure, platformPackage, addonTarget, hasGlibc } from './platform.ts'

/** A chain's key, decoded once for many pulses. */
export interface ChainKey {
  /** Whether `signature` is this chain's on `round`; false unless it has 48 bytes. */
  verify(round: number, signature: Uint8Array): boolean
}

/** `nonce` (to be hashed as 8 bytes, big-endian). Undefined: none found yet, continue at `next`. */
interface StampSlice {
  nonce?: number
  next: number
}

/** The class group that a proof lives in. */
export interface Discriminant {
  /** |D|, big-endian, bits / 8 bytes. */
  bytes(): Uint8Array
}

/** Verifies proofs from their seeds, and remembers the newest discriminants. */
export interface Verifier {
  /**
   * The verdicts in the order of the questions. There are fewer when the stop word is set, which it reads between two
   * proofs.
   * Malformed proofs are false after microseconds. Throws INVALID_ARGUMENT for invalid counts, and for seeds and sizes
   * that have no discriminant.
   */
  verify(questions: readonly ProofQuestion[], stop: Uint32Array): boolean[]
}

/** A repeated squaring with its proof, advanced a slice at a time. */
export interface Evaluation {
  /**
   * Does about `maxSteps` units of work (squarings or steps of proving); returns early when the stop word is set.
   * Throws KERNEL_FAULT when the finished proof does not verify.
   */
  advance(maxSteps: number, stop: Uint32Array): void
  /** How many threads `advance` may use from now on, including its caller's; one at first. */
  setThreads(threads: number): void
  /** In this order. Further threads prove what they can during the squaring. */
  phase(): 'squaring' | 'proving' | 'done'
  squarings(): number
  iterations(): number
  /** Squarings of the first of two segments; null for one. */
  split(): number | null
  /** Share of the present phase that is done, 0..1. */
  phaseProgress(): number
  /**
   * An estimate of the time to the proof on these threads, in squarings: those left, and the proving that they don't
   * hide.
   */
  remaining(): number
  state(): Uint8Array
  /** Records never change; their number only grows. */
  intermediateCount(): number
  intermediates(from: number): Uint8Array
  /** Null until done. */
  proof(): Uint8Array | null
}

/** A lock on a directory itself, until `release` or the end of the process. */
export interface DirectoryLock {
  /** Whether another holder has it. */
  isTaken(): boolean
  /** Harmless where nothing is held. */
  release(): void
}

/**
 * What crates/node exports. Written by hand: a generated file would know no units, bounds or errors.
 * Calls compute on the calling thread: only worker.ts, benchmarks and the command line's offline commands make them.
 * The DNS server has threads of its own, so the daemon calls it (`dnsServer`).
 * Errors carry a `code` (`NativeErrorCode`). A stop word is a `Uint32Array` on shared memory. An element `x` is 100
 * bytes in chiavdf's form format; null is the generator.
 */
export interface Addon {
  version(): string
  /** What compiled it, as `rustc --version` says it. */
  compiler(): string
  /**
   * The instructions that the kernel uses: `portable`, `aarch64`, `aarch64-neon`, `x86-64-bmi2`, `x86-64-adx`,
   * `x86-64-avx2` or `x86-64-ifma`. Throws INVALID_ARGUMENT when CHRONYM_VDF_BACKEND names one that this processor lacks.
   */
  backend(): string
  /**
   * The kind of steps that squarings are made of: `ordered` by hand, or `compiled`. The faster one here, measured once.
   * Throws INVALID_ARGUMENT when CHRONYM_VDF_STEPS names another.
   */
  steps(): string
  ChainKey: new (bytes: Uint8Array) => ChainKey
  searchStamp(prefix: Uint8Array, bits: number, start: number, attempts: number, stop: Uint32Array): StampSlice
  Discriminant: {
    fromSeed(seed: Uint8Array, bits: number): Discriminant
    /** |D|, big-endian; checked to be the negative of a prime of the right kind. */
    fromBytes(bytes: Uint8Array): Discriminant
  }
  Evaluation: {
    new (
      discriminant: Discriminant,
      x: Uint8Array | null,
      iterations: number,
      split: number | null,
      memoryBytes: number
    ): Evaluation
    /** Throws INVALID_CHECKPOINT for what is damaged or of another discriminant. */
    resume(discriminant: Discriminant, state: Uint8Array, intermediates: Uint8Array): Evaluation
  }
  /** Remembers at most this many discriminants, a kilobyte each. */
  Verifier: new (capacity: number) => Verifier
  /** `proof` is y and all that follows it; `depth` is the number of segments before the last. */
  verifyProof(
    discriminant: Discriminant,
    x: Uint8Array | null,
    iterations: number,
    proof: Uint8Array,
    depth: number
  ): boolean
  DnsServer: DnsServerClass
  /** An authority for names below `suffix` alone, for ten years. Keys are PKCS#8, all is DER; `unix` is in seconds. */
  authorityCertificate(key: Uint8Array, suffix: string, unix: number): Uint8Array
  /** The suffix that such an authority is bound to. Throws INVALID_ARGUMENT for any other certificate, with the reason. */
  authoritySuffix(certificate: Uint8Array): string
  /** One that a server for `names` signs itself, for ten years. */
  serverCertificate(key: Uint8Array, names: readonly string[], unix: number): Uint8Array
  /** Tries once, without waiting. It holds nothing where the system cannot lock a directory. */
  DirectoryLock: new (path: string) => DirectoryLock
  /**
   * Sends one datagram to a Unix socket: a path, or `@` and a name in Linux's abstract namespace. Blocks for 200 ms at
   * most. Throws NOTIFY_FAILED.
   */
  notify(address: string, message: string): void
  /**
   * Has threads that wake up take the place of the caller's, and of those it starts, at once. Returns whether the
   * scheduler took it: Linux 6.12 and newer do.
   */
  bePreempted(): boolean
}

export interface AddonSource {
  root: string
  version: string
  target: string
  require: (specifier: string) => unknown
  exists: (path: string) => boolean
}

/** Checked too, since a build of other sources can report the same version. */
const EXPORTS = [
  'version',
  'backend',
  'compiler',
  'steps',
  'ChainKey',
  'searchStamp',
  'Discriminant',
  'Evaluation',
  'Verifier',
  'verifyProof',
  'DnsServer',
  'authorityCertificate',
  'authoritySuffix',
  'serverCertificate',
  'DirectoryLock',
  'notify',
  'bePreempted'
] as const satisfies readonly (keyof Addon)[]

let loaded: Addon | undefined

let missing: NativeError | undefined

/** A value of CHRONYM_VDF_BACKEND that asks for no addon. */
const NO_ADDON = 'bigint'

/**
 * The addon of this package, loaded once. Throws NativeError ADDON_MISSING or ADDON_UNAVAILABLE, whose message names
 * cause and cure.
 */
export function addon(): Addon {
  if (missing !== undefined) throw missing
  try {
    if (process.env['CHRONYM_VDF_BACKEND'] === NO_ADDON)
      throw new NativeError(
        'ADDON_MISSING',
        `CHRONYM_VDF_BACKEND=${NO_ADDON} asks for no native addon, which alone evaluates. Unset it.`
      )
    loaded ??= loadAddon(ownSource())
    return loaded
  } catch (error) {
    if (error instanceof NativeError && error.code === 'ADDON_MISSING') missing = error
    throw error
  }
}

/**
 * Why there is no addon; undefined where there is one. Throws NativeError ADDON_UNAVAILABLE for one that cannot be used:
 * that is to be repaired, not worked around.
 */
export function missingAddon(): NativeError | undefined {
  try {
    addon()
    return undefined
  } catch (error) {
    if (error instanceof NativeError && error.code === 'ADDON_MISSING') return error
    throw error
  }
}

function ownSource(): AddonSource {
  return {
    root: fileURLToPath(new URL('../..', import.meta.url)),
    version: VERSION,
    target: addonTarget(process.platform, process.arch, hasGlibc()),
    require: createRequire(import.meta.url),
    exists: existsSync
  }
}

/** A build beside the sources comes before the prebuilt package: its builder wants it. */
export function loadAddon(source: AddonSource): Addon {
  const built = join(source.root, 'native', `chronym.${source.target}.node`)
  const prebuilt = platformPackage(source.target)
  const isBuilt = source.exists(built)
  const found = requireAddon(source, isBuilt ? built : prebuilt, isBuilt)
  const version = found.version()
  if (version !== source.version) {
    throw unavailable(
      `The native addon ${isBuilt ? built : prebuilt} has version ${version}, but this is Chronym ${source.version}. ` +
        (isBuilt ? buildAgain(source) : INSTALL_AGAIN)
    )
  }
  const missing = EXPORTS.filter((name) => !(name in found))
  if (missing.length > 0) {
    throw unavailable(
      `The native addon ${isBuilt ? built : prebuilt} was built from other sources: it ` +
        `has no ${missing.join(', ')}. ${buildAgain(source)}`
    )
  }
  try {
    found.backend()
    found.steps()
  } catch (cause) {
    throw unavailable(`${(cause as Error).message}. Name one of those, or unset the variable.`, cause)
  }
  return found
}

function requireAddon(source: AddonSource, specifier: string, isBuilt: boolean): Addon {
  try {
    return source.require(specifier) as Addon
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message.split('\n')[0] : String(cause)
    if (!isBuilt && (cause as NodeJS.ErrnoException).code === 'MODULE_NOT_FOUND') {
      throw absent(
        `There is no native addon for ${source.target}: neither built (native/) nor installed (${specifier}). ` +
          missingCure(isCheckout(source)),
        cause
      )
    }
    throw absent(`The native addon ${specifier} could not be loaded: ${reason}. ${buildAgain(source)}`, cause)
  }
}

function isCheckout({ root, exists }: AddonSource): boolean {
  return exists(join(root, 'src'))
}

function buildAgain(source: AddonSource): string {
  return `Build it again: \`${isCheckout(source) ? 'npm run setup' : 'npm rebuild chronym'}\`.`
}

function absent(message: string, cause: unknown): NativeError {
  return new NativeError('ADDON_MISSING', message, { cause })
}

function unavailable(message: string, cause?: unknown): NativeError {
  return new NativeError('ADDON_UNAVAILABLE', message, { cause })
}

/** Undefined where no addon can be used. */
export function tryLockDirectory(path: string): DirectoryLock | undefined {
  try {
    return new (addon().DirectoryLock)(path)
  } catch (error) {
    if (error instanceof NativeError) return undefined
    throw error
  }
}

/** See `Addon.notify`. Throws NativeError ADDON_UNAVAILABLE, and an error with code NOTIFY_FAILED. */
export function notify(address: string, message: string): void {
  addon().notify(address, message)
}

/**
 * See `DnsServerClass.start`. Throws NativeError: LISTEN_FAILED with address, cause and cure, INVALID_ARGUMENT for
 * options that cannot be used.
 */
export function startDnsServer(options: DnsServerOptions, onQuestion: (question: DnsQuestion) => void): DnsServer {
  try {
    return addon().DnsServer.start(options, onQuestion)
  } catch (cause) {
    if (cause instanceof NativeError) throw cause
    const { code, message } = cause as Error & { code: NativeErrorCode }
    throw new NativeError(code, message, { cause })
  }
}
