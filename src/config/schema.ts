/** The schema of the configuration, with its defaults. Flags and environment variables: config.ts. */
import { isIPv6 } from 'node:net'
import { availableParallelism } from 'node:os'
import * as v from 'valibot'
import { builtInProfiles } from '../protocol/profile/built-in.ts'
import { fixedPath, PathError } from '../util/user-paths.ts'
import { isNatsUrls } from './nats-url.ts'
import { parseSocketAddress } from './socket-address.ts'

const port = v.pipe(v.number(), v.integer('must be an integer'), v.minValue(0), v.maxValue(65_535))
const count = v.pipe(v.number(), v.integer('must be an integer'), v.minValue(1))
const strings = v.array(v.string())
const NO_HTTP_URL = 'must be an http or https URL'
/** Labels with at most one `*` each, but for the zone. */
const HOST_PATTERN = /^(?:(?:[a-z0-9_-]+(?:\*[a-z0-9_-]*)?|\*[a-z0-9_-]*)\.)+[a-z0-9_-]+$/
const httpUrl = v.pipe(v.string(), v.url(NO_HTTP_URL), v.regex(/^https?:/, NO_HTTP_URL))
/** The syntax alone; the network judges whether it can listen on a multiaddr or dial it. */
const multiaddrs = v.array(
  v.pipe(v.string(), v.regex(/^\/[a-z]/, 'must be a multiaddr such as /ip4/127.0.0.1/tcp/7469'))
)
const socketAddress = v.pipe(
  v.string(),
  v.check(
    (text) => parseSocketAddress(text) !== undefined,
    'must be an IP address with a port, such as 127.0.0.1:7453 or [::1]:7453'
  )
)
const socketAddresses = v.array(socketAddress)

const isEmpty = (text: string): boolean => text === ''

/** The settings that are paths, each with its texts that are none; `api.socket`, below the data directory, is not here. */
export const PATH_SETTINGS: ReadonlyMap<string, (text: string) => boolean> = new Map([
  ['network', (text: string) => Object.hasOwn(builtInProfiles, text)],
  ['data_dir', isEmpty],
  ['p2p.bootstrap_file', isEmpty],
  ['dns.tls_cert', isEmpty],
  ['dns.tls_key', isEmpty],
  ['vdf.farm_credentials', isEmpty],
  ['vdf.farm_ca', isEmpty],
  ['backup.file', isEmpty],
  ['seed.passphrase_file', (text: string) => /^(?:|-|\d+)$/u.test(text)]
])

/** The text of a setting; of one that is a path, what `toPath` makes of it. Throws PathError. */
export function settingText(setting: string, text: string, toPath: (path: string) => string): string {
  const isNone = PATH_SETTINGS.get(setting)
  if (isNone === undefined || isNone(text)) return text
  try {
    return toPath(text)
  } catch (error) {
    if (!(error instanceof PathError) || setting !== 'network') throw error
    const known = Object.keys(builtInProfiles).join(', ')
    throw new PathError(`"${text}" is neither one of ${known} nor a path: it ${error.message}`, { cause: error })
  }
}

/** A text that `toPath` makes a path of; what it refuses is an issue. */
const madeBy = (toPath: (text: string) => string) =>
  v.pipe(
    v.string(),
    v.rawTransform(({ dataset, addIssue, NEVER }) => {
      try {
        return toPath(dataset.value)
      } catch (error) {
        if (!(error instanceof PathError)) throw error
        addIssue({ message: error.message })
        return NEVER
      }
    })
  )

/** One of {@link PATH_SETTINGS}. */
const path = (setting: string) => madeBy((text) => settingText(setting, text, fixedPath))

const entry = (is: (text: string) => boolean, right: string) =>
  v.pipe(
    v.string(),
    v.check(is, ({ input }) => `must be ${right}, not "${input}"`)
  )
/** As a client names it: its port too where that is not the scheme's. */
const hosts = v.array(
  entry(
    (text) => isIPv6(text) || /^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i.test(text),
    'a host name or address, with its port if any, such as chronym.example:8443'
  )
)
const origins = v.array(
  entry((text) => {
    const url = URL.parse(text)
    return url !== null && text === `${url.protocol}//${url.host}`
  }, 'a scheme and a host alone, such as https://chronym.example')
)

/** Empty: none. */
const natsUrl = v.pipe(
  v.string(),
  v.check(
    (text) => text === '' || isNatsUrls(text),
    'must be the URL of a NATS server such as nats://farm.example:4222, or several of one cluster with commas between'
  )
)

/** Empty: none. */
const multikey = v.pipe(
  v.string(),
  v.regex(/^(?:|z6Mk[1-9A-HJ-NP-Za-km-z]{44})$/, 'must be a public key such as z6Mk...')
)

/** The port the HTTP interface was promised on (docs/api.md, "Transport"). */
const API_PORT = 7468
export const P2P_PORT = 7469
/** The DNS port on loopback addresses. Unprivileged, unlike 53. */
export const DNS_PORT = 7453
/** Of the proxy for https. */
const HTTPS_PORT = 7443

const MODES = ['auto', 'full', 'light', 'offline'] as const
const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const
const CHOICES: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  ['mode', MODES],
  ['log.level', LOG_LEVELS]
])

const spareCores = Math.max(1, availableParallelism() - 1)

export const ConfigSchema = v.strictObject({
  /** A built-in network (local, test, main) or the path of a profile file. */
  network: v.optional(path('network'), 'local'),
  /** Empty: the user's data directory for that network. */
  data_dir: v.optional(path('data_dir'), ''),
  /** `auto`: full on `local` and `test`; on public networks full once peers of other prefixes reach it, else light. */
  mode: v.optional(v.picklist(MODES), 'auto'),
  auto_renew: v.optional(v.boolean(), true),
  api: v.optional(
    v.strictObject({
      host: v.optional(v.string(), '127.0.0.1'),
      port: v.optional(port, API_PORT),
      allowed_hosts: v.optional(hosts, []),
      allowed_origins: v.optional(origins, [])
    }),
    {}
  ),
  p2p: v.optional(
    v.strictObject({
      /**
       * Multiaddrs; empty: TCP port 7469 on loopback (local) or on every interface (other networks, also by IPv6 where
       * there is any), or any free port when that is taken.
       */
      listen: v.optional(multiaddrs, []),
      /** Multiaddrs; empty: each public address that is listened on. */
      announce: v.optional(multiaddrs, []),
      /** On public networks, for a daemon with a private IPv4 address and no `announce`. */
      map_port: v.optional(v.boolean(), true),
      bootstrap: v.optional(multiaddrs, []),
      /** Path of a file; empty: none. */
      bootstrap_file: v.optional(path('p2p.bootstrap_file'), ''),
      /** Public key of those who sign the lists of `/dnsaddr` names; empty: the profile's, or none. */
      bootstrap_key: v.optional(multikey, ''),
      /** On networks of scope `loopback` and `test`. */
      mdns: v.optional(v.boolean(), true),
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
      tls_cert: v.optional(path('dns.tls_cert'), ''),
      tls_key: v.optional(path('dns.tls_key'), ''),
      /**
       * Resolvers that are asked for names outside of the zone; empty: such queries are refused.
       * Names of bootstrap peers are asked of them too, also while `enabled` is false.
       */
      forward: v.optional(socketAddresses, []),
      /** Bound on names and packed answers, MiB. */
      cache_mib: v.optional(v.pipe(count, v.maxValue(65_536)), 32)
    }),
    {}
  ),
  https: v.optional(
    v.strictObject({
      /** Needs `dns.enabled`. */
      enabled: v.optional(v.boolean(), false),
      /** A loopback address. */
      listen: v.optional(socketAddress, `127.0.0.1:${HTTPS_PORT}`),
      allow_private: v.optional(
        v.array(
          v.pipe(
            v.string(),
            v.regex(HOST_PATTERN, 'must be a name such as alice.chronym, or a pattern such as *.alice.chronym')
          )
        ),
        []
      ),
      /** Whether DNS gives addresses of this machine for names with a key. */
      local_addresses: v.optional(v.boolean(), false),
      /** Beside 80 and 443. */
      pass_ports: v.optional(v.array(v.pipe(v.string(), v.regex(/^[1-9][0-9]{0,4}$/, 'must be a port such as 22'))), [
        '22'
      ])
    }),
    {}
  ),
  vdf: v.optional(
    v.strictObject({
      threads: v.optional(count, spareCores),
      max_tasks: v.optional(count, spareCores),
      queue: v.optional(count, 100),
      /** Seconds of squaring that a crash may cost at most. */
      checkpoint_seconds: v.optional(v.pipe(v.number(), v.minValue(0.1), v.maxValue(3600)), 10),
      /** Bound on what each evaluation keeps for its proof, MiB. */
      memory_mib: v.optional(v.pipe(count, v.maxValue(65_536)), 256),
      /** NATS server of workers that evaluate too; empty: all is evaluated here. */
      farm: v.optional(natsUrl, ''),
      /** A .creds file, or one with the seed of an nkey. */
      farm_credentials: v.optional(path('vdf.farm_credentials'), ''),
      /** PEM of the authority that signed its certificate; empty: those that Node knows. */
      farm_ca: v.optional(path('vdf.farm_ca'), ''),
      /** Servers of a cluster that keep each message and checkpoint. */
      farm_replicas: v.optional(v.pipe(count, v.minValue(1), v.maxValue(5)), 1)
    }),
    {}
  ),
  pins: v.optional(
    v.strictObject({
      /** Names with a check code, such as alice--7kq2mx.chronym: `alice.chronym` means that claim alone on this machine. */
      codes: v.optional(strings, [])
    }),
    {}
  ),
  backup: v.optional(
    v.strictObject({
      /** Empty: no backup is kept up to date. */
      file: v.optional(path('backup.file'), ''),
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
      passphrase_file: v.optional(path('seed.passphrase_file'), '')
    }),
    {}
  ),
  log: v.optional(
    v.strictObject({
      level: v.optional(v.picklist(LOG_LEVELS), 'info')
    }),
    {}
  )
})

/** What the file of a profile may have beside the rules of the network. */
export const BesideProfileSchema = v.object({
  bootstrap: v.optional(multiaddrs, []),
  bootstrap_key: v.optional(multikey, '')
})

export type Config = v.InferOutput<typeof ConfigSchema>

/** Fields that may change while the daemon runs; every other one answers SVC-CFG-002. */
export const RUNTIME_FIELDS: ReadonlySet<string> = new Set([
  'mode',
  'auto_renew',
  'api.allowed_hosts',
  'api.allowed_origins',
  'https.enabled',
  'https.allow_private',
  'https.local_addresses',
  'https.pass_ports',
  'vdf.max_tasks',
  'vdf.queue',
  'log.level'
])

/** The values that a field may have; null where others fit. */
export function choicesOf(path: string): string[] | null {
  const choices = CHOICES.get(path)
  return choices === undefined ? null : [...choices]
}
