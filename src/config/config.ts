/**
 * The daemon's configuration: one schema, from which come the defaults, the fields of config.toml, the environment
 * variables (`CHRONYM_` + section + field) and the flags.
 * Order of precedence: flag, environment, change at run time, config.toml, default.
 */
import * as v from 'valibot'
import { parse as parseToml, TomlError } from 'smol-toml'
import { type FieldError, ServiceError } from '../errors.ts'
import { ProfileError } from '../protocol/errors.ts'
import { faultOf, reasonOf } from '../protocol/encoding/issue.ts'
import { type NetworkProfile, parseProfile } from '../protocol/profile/profile.ts'
import { builtInProfiles } from '../protocol/profile/built-in.ts'
import { masked } from '../util/masked.ts'
import { type PartialConfig, setPath, spellings } from './dotted-path.ts'
import { leaveOutRemoved, REMOVED_SETTINGS, removedSetting, removedWarning, type Warn } from './removed.ts'
import { BesideProfileSchema, type Config, ConfigSchema, settingText } from './schema.ts'
import { fixedPath, PathError, pathFromHere } from '../util/user-paths.ts'
import { NotUtf8Error, readTextFile } from '../util/utf8.ts'

export { choicesOf, DNS_PORT, P2P_PORT, RUNTIME_FIELDS, type Config } from './schema.ts'

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
const field = (path: string, kind: FieldKind, help: string, short?: string): ConfigField => ({
  ...{ path, kind, help },
  ...spellings(path, short)
})

export const CONFIG_FIELDS: readonly ConfigField[] = [
  field('network', 'string', 'local, test, main, or the path of a profile file'),
  field('data_dir', 'string', 'where the daemon keeps its data'),
  field('mode', 'string', 'auto, full, light or offline; auto is full where peers can dial this daemon, else light'),
  field('auto_renew', 'boolean', 'renew owned names before they lapse'),
  field('api.host', 'string', 'address the HTTP interface listens on', 'host'),
  field('api.port', 'number', 'port the HTTP interface listens on; 0 takes a free one', 'port'),
  field('api.allowed_hosts', 'list', 'further Host headers that are answered'),
  field('api.allowed_origins', 'list', 'web origins that may call the interface'),
  field('p2p.listen', 'list', 'multiaddrs to listen on for peers', 'listen'),
  field(
    'p2p.announce',
    'list',
    'multiaddrs that peers are told once one has dialled them, such as /ip4/192.0.2.1/tcp/7469',
    'announce'
  ),
  field(
    'p2p.map_port',
    'boolean',
    'have the router let peers in, by NAT-PMP, UPnP or PCP, on public networks',
    'map-port'
  ),
  field('p2p.bootstrap', 'list', 'multiaddrs of peers to join through, or /dnsaddr/NAME', 'bootstrap'),
  field(
    'p2p.bootstrap_file',
    'string',
    'file with more of them, one a line; read again when it changes',
    'bootstrap-file'
  ),
  field(
    'p2p.bootstrap_key',
    'string',
    'public key (z6Mk...) that must have signed the lists of /dnsaddr names',
    'bootstrap-key'
  ),
  field('p2p.mdns', 'boolean', 'find peers of `local` on this machine, of `test` on this link, by mDNS', 'mdns'),
  field('p2p.storage_mib', 'number', 'database size from which nothing new is stored for others, MiB'),
  field('beacon.urls', 'list', 'drand HTTP endpoints', 'beacon-url'),
  field('dns.enabled', 'boolean', 'answer DNS queries for the names of the network'),
  field('dns.listen', 'list', 'ip:port to answer DNS on, over UDP and TCP'),
  field('dns.tls_listen', 'list', 'ip:port for DNS over TLS; needs dns.tls_cert and dns.tls_key'),
  field('dns.https_listen', 'list', 'ip:port for DNS over HTTPS with TLS; needs dns.tls_cert and dns.tls_key'),
  field('dns.tls_cert', 'string', 'absolute path of the certificates, PEM'),
  field('dns.tls_key', 'string', 'absolute path of their private key, PEM'),
  field(
    'dns.forward',
    'list',
    'ip:port of resolvers for all other names, also for /dnsaddr names; without it the former are refused'
  ),
  field('dns.cache_mib', 'number', 'bound on what the DNS server keeps, MiB'),
  field('https.enabled', 'boolean', 'open https for names of the network in browsers, by a proxy on this machine'),
  field('https.listen', 'string', 'ip:port of that proxy, a loopback address'),
  field(
    'https.allow_private',
    'list',
    'names that may lead to private addresses beside your own, such as alice.chronym or alice--*.chronym'
  ),
  field('https.local_addresses', 'boolean', 'DNS answers for names with a key lead to addresses of this machine'),
  field(
    'https.pass_ports',
    'list',
    'ports at those addresses that are passed to the server; 80 and 443 need no mention'
  ),
  field('vdf.threads', 'number', 'worker threads for evaluations'),
  field('vdf.max_tasks', 'number', 'tasks computing at once'),
  field('vdf.queue', 'number', 'registrations that may wait; renewals always may'),
  field('vdf.checkpoint_seconds', 'number', 'seconds between checkpoints'),
  field('vdf.memory_mib', 'number', 'bound on what each evaluation keeps for its proof, MiB'),
  field(
    'vdf.farm',
    'string',
    'NATS server whose workers evaluate too: nats://HOST:PORT, or tls:// to insist on TLS; several of a cluster with commas between'
  ),
  field('vdf.farm_credentials', 'string', 'absolute path of the credentials for it (.creds, or the seed of an nkey)'),
  field('vdf.farm_ca', 'string', 'absolute path of the authority that signed its certificate, PEM'),
  field('vdf.farm_replicas', 'number', 'servers of its cluster that keep each message and checkpoint'),
  field('pins.codes', 'list', 'names with a check code (alice--7kq2mx.chronym): the bare name means that claim alone'),
  field('backup.file', 'string', 'absolute path of a backup that the daemon keeps up to date; needs backup.recipient'),
  field('backup.recipient', 'list', 'public keys of age (age1...), any of which opens that backup'),
  field(
    'seed.passphrase_file',
    'string',
    'file whose first line is the passphrase of the seed; "-": standard input, a number: a file descriptor'
  ),
  field('log.level', 'string', 'trace, debug, info, warn, error, fatal or silent')
]

function invalid(told: FieldError[], where: string): ServiceError {
  // The daemon logs it, and answers it to whoever asked.
  const errors = told.map(({ path, message }) => ({ path, message: masked(message) }))
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
    result.issues.map((issue) => {
      const path = issuePath(issue)
      const setting = issue.expected === 'never' ? removedSetting(path) : undefined
      return { path, message: setting === undefined ? reasonOf(issue) : `was removed: ${setting.now}` }
    }),
    where
  )
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
      return listOf(text)
  }
}

/** Entries with commas between. */
export function listOf(text: string): string[] {
  return text === '' ? [] : text.split(',').map((item) => item.trim())
}

/** The text; for a setting that is a path, what `toPath` makes of it. Throws SVC-CFG-001. */
function withPath(path: string, text: string, where: string, toPath: (text: string) => string): string {
  try {
    return settingText(path, text, toPath)
  } catch (error) {
    throw error instanceof PathError ? invalid([{ path, message: error.message }], where) : error
  }
}

const ignore: Warn = () => undefined

export function configFromEnvironment(env: NodeJS.ProcessEnv, warn = ignore): PartialConfig {
  const result: PartialConfig = {}
  for (const setting of REMOVED_SETTINGS)
    if (env[setting.env] !== undefined) warn(removedWarning(setting, `environment variable ${setting.env}`))
  for (const field of CONFIG_FIELDS) {
    const text = env[field.env]
    if (text === undefined) continue
    const where = `environment variable ${field.env}`
    setPath(result, field.path, parseText(field, withPath(field.path, text, where, fixedPath), where))
  }
  return result
}

/** Flags by their long names without dashes (`data-dir`), as text; lists may be given more than once. */
export function configFromFlags(
  flags: Readonly<Record<string, string | readonly string[] | undefined>>,
  warn = ignore
): PartialConfig {
  const result: PartialConfig = {}
  for (const setting of REMOVED_SETTINGS)
    if (flags[setting.flag] !== undefined) warn(removedWarning(setting, `flag --${setting.flag}`))
  for (const field of CONFIG_FIELDS) {
    const given = flags[field.flag]
    if (given === undefined) continue
    const texts = typeof given === 'string' ? [given] : given
    const where = `flag --${field.flag}`
    // The default would be another daemon's names.
    if (field.path === 'data_dir' && texts.includes(''))
      throw invalid([{ path: field.path, message: 'is empty; is a variable of the shell unset?' }], where)
    const values = texts.map((text) => parseText(field, withPath(field.path, text, where, pathFromHere), where))
    setPath(result, field.path, field.kind === 'list' ? values.flat() : values.at(-1))
  }
  return result
}

/** Reads config.toml. Throws for bad syntax, and for a missing file that was named. */
export function configFromFile(path: string, required: boolean, warn = ignore): PartialConfig {
  let text: string
  try {
    text = readTextFile(path)
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
  leaveOutRemoved(parsed, path, warn)
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

export function isBuiltIn(network: string): network is keyof typeof builtInProfiles {
  return Object.hasOwn(builtInProfiles, network)
}

/** A profile, and what its file says beside it: no rule of the network, so not part of its hash. */
interface ConfiguredNetwork {
  readonly profile: NetworkProfile
  /** Multiaddrs of peers to join through, beside those of `p2p.bootstrap`. */
  readonly bootstrap: readonly string[]
  /** As `p2p.bootstrap_key`, which wins. */
  readonly bootstrap_key: string
}

export function loadProfile(network: string): NetworkProfile {
  return loadNetwork(network).profile
}

/** `network` as in the configuration. Throws SVC-CFG-001 that names the file and the field. */
export function loadNetwork(network: string): ConfiguredNetwork {
  if (isBuiltIn(network)) return { profile: builtInProfiles[network], bootstrap: [], bootstrap_key: '' }
  const reject = (message: string, fault: string, cause: unknown): never => {
    throw new ServiceError('SVC-CFG-001', message, { errors: [{ path: 'network', message: fault }], cause })
  }
  const refuseFile = (fault: string, cause: unknown): never =>
    reject(`the profile ${network}: ${fault}. \`chronym config profile main\` prints a whole one`, fault, cause)
  let text: string
  try {
    text = readTextFile(network)
  } catch (error) {
    const known = Object.keys(builtInProfiles).join(', ')
    if (error instanceof NotUtf8Error) return refuseFile(error.message, error)
    const { code, message } = error as NodeJS.ErrnoException
    const fault = { ENOENT: 'there is no such file', EISDIR: 'it is a directory' }[code ?? ''] ?? message
    return reject(`network "${network}" is neither one of ${known} nor the file of a profile: ${fault}`, fault, error)
  }
  try {
    const json: unknown = JSON.parse(text)
    return { profile: parseProfile(json), ...v.parse(BesideProfileSchema, json) }
  } catch (error) {
    if (v.isValiError(error)) return refuseFile(faultOf(error.issues), error)
    if (error instanceof ProfileError) return refuseFile(error.detail, error)
    return refuseFile(`it is not JSON: ${(error as Error).message}`, error)
  }
}
