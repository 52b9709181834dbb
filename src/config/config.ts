/**
 * The daemon's configuration: one schema, from which come the defaults, the fields of config.toml, the environment
 * variables (`CHRONYM_` + section + field) and the flags.
 * Order of precedence: flag, environment, change at run time, config.toml, default.
 */
import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { isAbsolute } from 'node:path'
import { parse as parseToml, TomlError } from 'smol-toml'
import * as v from 'valibot'
import { ServiceError, type FieldError } from '../errors.ts'
import { parseSocketAddress } from './socket-address.ts'

const port = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(65_535))
const count = v.pipe(v.number(), v.integer(), v.minValue(1))
const strings = v.array(v.string())
const NO_HTTP_URL = 'must be an http or https URL'
const httpUrl = v.pipe(v.string(), v.url(NO_HTTP_URL), v.regex(/^https?:/, NO_HTTP_URL))
/** The syntax alone; the network judges whether it can listen on a multiaddr or dial it. */
const multiaddrs = v.array(
  v.pipe(v.string(), v.regex(/^\/[a-z]/, 'must be a multiaddr such as /ip4/127.0.0.1/tcp/7469'))
)
const socketAddresses = v.array(
  v.pipe(
    v.string(),
    v.check(
      (text) => parseSocketAddress(text) !== undefined,
      'must be an IP address with a port, such as 127.0.0.1:7453 or [::1]:7453'
    )
  )
)
/** Empty: none. */
const absolutePath = v.pipe(
  v.string(),
  v.check((path) => path === '' || isAbsolute(path), 'must be an absolute path')
)

/** The port the HTTP interface was promised on (docs/api.md, "Transport"). */
const API_PORT = 7468
export const P2P_PORT = 7469
/** Of DNS, on loopback addresses. Unprivileged, unlike 53. */
export const DNS_PORT = 7453

const spareCores = Math.max(1, availableParallelism() - 1)

export const ConfigSchema = v.strictObject({
  /** A built-in network (local, test, main) or the path of a profile file. */
  network: v.optional(v.string(), 'local'),
  /** Empty: the user's data directory for that network. */
  data_dir: v.optional(v.string(), ''),
  mode: v.optional(v.picklist(['full', 'light', 'offline']), 'full'),
  auto_renew: v.optional(v.boolean(), true),
  api: v.optional(
    v.strictObject({
      host: v.optional(v.string(), '127.0.0.1'),
      port: v.optional(port, API_PORT),
      allowed_hosts: v.optional(strings, []),
      allowed_origins: v.optional(strings, [])
    }),
    {}
  ),
  p2p: v.optional(
    v.strictObject({
      /**
       * Multiaddrs; empty: TCP port 7469 on loopback (local) or on every interface (other networks), or any free port
       * when that is taken.
       */
      listen: v.optional(multiaddrs, []),
      bootstrap: v.optional(multiaddrs, []),
      /** Size of the database, MiB, from which on nothing new is stored for others. */
      storage_mib: v.optional(count, 2048)
    }),
    {}
  ),
  beacon: v.optional(
    v.strictObject({
      /**
       * drand HTTP endpoints; empty: the daemon's own dev beacon on `local` and `test`, drand's public relays on
       * `main`.
       */
      urls: v.optional(v.array(httpUrl), [])
    }),
    {}
  ),
  dns: v.optional(
    v.strictObject({
      /** The fields below have effect only while it is true. What fits together: src/config/dns.ts. */
      enabled: v.optional(v.boolean(), true),
      /** For UDP and TCP; empty: 127.0.0.1 and ::1, port 7453, or any free port when that is taken. */
      listen: v.optional(socketAddresses, []),
      tls_listen: v.optional(socketAddresses, []),
      https_listen: v.optional(socketAddresses, []),
      /** PEM; the chain, with the certificate of the server first. */
      tls_cert: v.optional(absolutePath, ''),
      tls_key: v.optional(absolutePath, ''),
      /** Resolvers that are asked for names outside of the zone; empty: such queries are refused. */
      forward: v.optional(socketAddresses, []),
      /** Answers of fewer peers than a quorum: given without a signature, or refused. */
      answer_thin: v.optional(v.boolean(), true),
      /** Whether the owner of a signed answer must have a firm pin. */
      ad_needs_pin: v.optional(v.boolean(), false),
      /** Bound on names and packed answers, MiB. */
      cache_mib: v.optional(v.pipe(count, v.maxValue(65_536)), 32)
    }),
    {}
  ),
  vdf: v.optional(
    v.strictObject({
      threads: v.optional(count, spareCores),
      /** Threads that evaluations may use together while they prove: those that squaring leaves. */
      proving_threads: v.optional(count, availableParallelism()),
      max_tasks: v.optional(count, spareCores),
      queue: v.optional(count, 100),
      /** Seconds of squaring that a crash may cost at most. */
      checkpoint_seconds: v.optional(v.pipe(v.number(), v.minValue(0.1), v.maxValue(3600)), 10),
      /** Bound on what each evaluation keeps for its proof, MiB. */
      memory_mib: v.optional(v.pipe(count, v.maxValue(65_536)), 256)
    }),
    {}
  ),
  backup: v.optional(
    v.strictObject({
      /** Empty: no backup is kept up to date. */
      file: v.optional(absolutePath, ''),
      /** Public keys of age, any of which opens it. */
      recipient: v.optional(
        v.array(
          v.pipe(
            v.string(),
            v.regex(/^age1[02-9ac-hj-np-z]{58,}$/, 'must be a public key of age (age1...), as age-keygen prints it')
          )
        ),
        []
      )
    }),
    {}
  ),
  seed: v.optional(
    v.strictObject({
      /** File whose first line is the passphrase of a sealed seed; "-": standard input; empty: none. */
      passphrase_file: v.optional(v.string(), '')
    }),
    {}
  ),
  log: v.optional(
    v.strictObject({
      level: v.optional(v.picklist(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']), 'info')
    }),
    {}
  )
})

export type Config = v.InferOutput<typeof ConfigSchema>

/** Fields that may change while the daemon runs; every other one answers SVC-CFG-002. */
export const RUNTIME_FIELDS: ReadonlySet<string> = new Set([
  'mode',
  'auto_renew',
  'api.allowed_hosts',
  'api.allowed_origins',
  'vdf.max_tasks',
  'vdf.queue',
  'log.level'
])

export type FieldKind = 'string' | 'number' | 'boolean' | 'list'

/** One leaf of the schema as flag, environment variable and dotted path. */
export interface ConfigField {
  readonly path: string
  readonly flag: string
  readonly env: string
  readonly kind: FieldKind
  readonly help: string
}

/** Short names that users expect beside the systematic ones. */
const field = (path: string, kind: FieldKind, help: string, short?: string): ConfigField => {
  const name = short ?? path.replaceAll(/[._]/g, '-')
  return { path, kind, help, flag: name, env: `CHRONYM_${name.replaceAll('-', '_').toUpperCase()}` }
}

export const CONFIG_FIELDS: readonly ConfigField[] = [
  field('network', 'string', 'local, test, main, or the path of a profile file'),
  field('data_dir', 'string', 'where the daemon keeps its data'),
  field('mode', 'string', 'full, light or offline'),
  field('auto_renew', 'boolean', 'renew owned names before they lapse'),
  field('api.host', 'string', 'address the HTTP interface listens on', 'host'),
  field('api.port', 'number', 'port the HTTP interface listens on; 0 takes a free one', 'port'),
  field('api.allowed_hosts', 'list', 'further Host headers that are answered'),
  field('api.allowed_origins', 'list', 'web origins that may call the interface'),
  field('p2p.listen', 'list', 'multiaddrs to listen on for peers', 'listen'),
  field('p2p.bootstrap', 'list', 'multiaddrs of peers to join through', 'bootstrap'),
  field('p2p.storage_mib', 'number', 'database size from which nothing new is stored for others, MiB'),
  field('beacon.urls', 'list', 'drand HTTP endpoints', 'beacon-url'),
  field('dns.enabled', 'boolean', 'answer DNS queries for the names of the network'),
  field('dns.listen', 'list', 'ip:port to answer DNS on, over UDP and TCP'),
  field('dns.tls_listen', 'list', 'ip:port for DNS over TLS; needs dns.tls_cert and dns.tls_key'),
  field('dns.https_listen', 'list', 'ip:port for DNS over HTTPS with TLS; needs dns.tls_cert and dns.tls_key'),
  field('dns.tls_cert', 'string', 'absolute path of the certificates, PEM'),
  field('dns.tls_key', 'string', 'absolute path of their private key, PEM'),
  field('dns.forward', 'list', 'ip:port of resolvers for all other names; without it they are refused'),
  field('dns.answer_thin', 'boolean', 'answer, without a signature, what fewer peers than a quorum say'),
  field('dns.ad_needs_pin', 'boolean', 'sign only what belongs to an owner with a firm pin'),
  field('dns.cache_mib', 'number', 'bound on what the DNS server keeps, MiB'),
  field('vdf.threads', 'number', 'worker threads for evaluations'),
  field('vdf.proving_threads', 'number', 'threads that evaluations may use together for proving'),
  field('vdf.max_tasks', 'number', 'tasks computing at once'),
  field('vdf.queue', 'number', 'registrations that may wait; renewals always may'),
  field('vdf.checkpoint_seconds', 'number', 'seconds between checkpoints'),
  field('vdf.memory_mib', 'number', 'bound on what each evaluation keeps for its proof, MiB'),
  field('backup.file', 'string', 'absolute path of a backup that the daemon keeps up to date; needs backup.recipient'),
  field('backup.recipient', 'list', 'public keys of age (age1...), any of which opens that backup'),
  field(
    'seed.passphrase_file',
    'string',
    'file whose first line is the passphrase of the seed; "-": standard input, a number: a file descriptor'
  ),
  field('log.level', 'string', 'trace, debug, info, warn, error, fatal or silent')
]

/** A configuration with the same sections as {@link Config}, each value optional. */
export type PartialConfig = Record<string, unknown>

function invalid(errors: FieldError[], where: string): ServiceError {
  const list = errors.map((error) => `${error.path}: ${error.message}`).join('; ')
  return new ServiceError('SVC-CFG-001', `${where}: ${list}`, { errors })
}

function issuePath(issue: v.BaseIssue<unknown>): string {
  return issue.path?.map((item) => String(item.key)).join('.') ?? ''
}

/**
 * Checks a whole or partial configuration and fills in defaults. `where` names the source in messages. Throws
 * SVC-CFG-001.
 */
export function checkConfig(input: unknown, where: string): Config {
  const result = v.safeParse(ConfigSchema, input, { abortPipeEarly: true })
  if (result.success) return result.output
  throw invalid(
    result.issues.map((issue) => ({
      path: issuePath(issue),
      message: issue.expected === 'never' ? 'unknown field' : issue.message.replace(/^Invalid \w+: /, '')
    })),
    where
  )
}

export function setPath(target: PartialConfig, path: string, value: unknown): void {
  const [head, ...rest] = path.split('.')
  if (rest.length === 0) {
    target[head!] = value
    return
  }
  const section = (target[head!] ??= {}) as PartialConfig
  setPath(section, rest.join('.'), value)
}

/** The value at a dotted path; undefined where a section is missing. */
export function readPath(config: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], config)
}

/** Text from the environment or a flag as the field's kind. Throws SVC-CFG-001. */
function parseText(field: ConfigField, text: string, where: string): unknown {
  const reject = (message: string): never => {
    throw invalid([{ path: field.path, message }], where)
  }
  switch (field.kind) {
    case 'string':
      return text
    case 'number':
      return text.trim() === '' || Number.isNaN(Number(text)) ? reject(`"${text}" is not a number`) : Number(text)
    case 'boolean':
      return text === 'true' || text === '1'
        ? true
        : text === 'false' || text === '0'
          ? false
          : reject('must be true or false')
    case 'list':
      return text === '' ? [] : text.split(',').map((item) => item.trim())
  }
}

export function configFromEnvironment(env: NodeJS.ProcessEnv): PartialConfig {
  const result: PartialConfig = {}
  for (const field of CONFIG_FIELDS) {
    const text = env[field.env]
    if (text !== undefined) setPath(result, field.path, parseText(field, text, `environment variable ${field.env}`))
  }
  return result
}

/** Flags by their long names without dashes (`data-dir`), as text; lists may be given more than once. */
export function configFromFlags(
  flags: Readonly<Record<string, string | readonly string[] | undefined>>
): PartialConfig {
  const result: PartialConfig = {}
  for (const field of CONFIG_FIELDS) {
    const given = flags[field.flag]
    if (given === undefined) continue
    const texts = typeof given === 'string' ? [given] : given
    const values = texts.map((text) => parseText(field, text, `flag --${field.flag}`))
    setPath(result, field.path, field.kind === 'list' ? values.flat() : values.at(-1))
  }
  return result
}

/** Reads config.toml. Throws for bad syntax, and for a missing file that was named. */
export function configFromFile(path: string, required: boolean): PartialConfig {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if (!required && (error as NodeJS.ErrnoException).code === 'ENOENT') return {}
    throw new ServiceError('SVC-CFG-001', `${path} cannot be read: ${(error as Error).message}`, { cause: error })
  }
  let parsed: PartialConfig
  try {
    parsed = parseToml(text)
  } catch (error) {
    if (!(error instanceof TomlError)) throw error
    throw new ServiceError(
      'SVC-CFG-001',
      `${path} line ${error.line}: ${error.message.split('\n')[0] ?? 'bad syntax'}`,
      { cause: error }
    )
  }
  checkConfig(parsed, path)
  return parsed
}

/** Later sources win, field by field; lists are replaced, not joined. */
export function mergeConfig(...sources: readonly PartialConfig[]): PartialConfig {
  // Without a prototype, so that a field called __proto__ is unknown like any other.
  const result = Object.create(null) as PartialConfig
  for (const source of sources) {
    for (const [key, value] of Object.entries(source)) {
      const section = typeof value === 'object' && value !== null && !Array.isArray(value)
      result[key] = section ? mergeConfig((result[key] ?? {}) as PartialConfig, value as PartialConfig) : value
    }
  }
  return result
}

/** Dotted paths of the leaves given in a partial configuration. */
export function leafPaths(config: PartialConfig, prefix = ''): string[] {
  return Object.entries(config).flatMap(([key, value]) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? leafPaths(value as PartialConfig, `${prefix}${key}.`)
      : [`${prefix}${key}`]
  )
}
