/** docs/reference/configuration.md, from the schema of the configuration. Written by scripts/generate-docs.mjs. */
import { toJsonSchema } from '@valibot/to-json-schema'
import { CONFIG_FIELDS, RUNTIME_FIELDS, type ConfigField } from '../../src/config/config.ts'
import { ConfigSchema } from '../../src/config/schema.ts'

const TITLES: Readonly<Record<string, string>> = {
  '': 'General',
  api: 'HTTP interface',
  p2p: 'Peers',
  beacon: 'Beacon',
  dns: 'DNS',
  https: 'https',
  vdf: 'Tasks',
  pins: 'Pins',
  backup: 'Backup',
  seed: 'Seed',
  log: 'Log'
}

/** Defaults that the machine decides. */
export const MACHINE_DEFAULTS: Readonly<Record<string, string>> = {
  'vdf.threads': 'processors less one, at least 1',
  'vdf.max_tasks': 'processors less one, at least 1'
}

/** What an empty default means. */
export const EMPTY_MEANS: Readonly<Record<string, string>> = {
  data_dir: "the user's data directory for that network",
  'api.allowed_hosts': 'loopback names and the address listened on',
  'api.allowed_origins': 'the same origin alone',
  'p2p.listen':
    'TCP port 7469 on loopback (`local`) or on every interface, IPv6 too where there is any; any free port if it is taken',
  'p2p.announce': 'each public address that it listens on',
  'p2p.bootstrap': 'nobody',
  'p2p.bootstrap_file': 'none',
  'p2p.bootstrap_key': "the profile's, or none: lists need no signature",
  'beacon.urls': "the daemon's own beacon (`local`, `test`), drand's public relays (`main`)",
  'dns.listen': '127.0.0.1 and ::1, port 7453; any free port if it is taken',
  'dns.tls_listen': 'off',
  'dns.https_listen': 'off',
  'dns.tls_cert': 'none',
  'dns.tls_key': 'none',
  'dns.forward': 'such queries are refused',
  'https.allow_private': 'none may',
  'vdf.farm': 'all is evaluated on this machine',
  'vdf.farm_credentials': 'none',
  'vdf.farm_ca': 'those that Node knows',
  'pins.codes': 'bare names mean what most peers say',
  'backup.file': 'no backup is kept',
  'backup.recipient': 'no backup is kept',
  'seed.passphrase_file': 'none: a credential of systemd, the terminal, or a locked start'
}

interface Leaf {
  readonly type?: string
  readonly enum?: readonly string[]
  readonly minimum?: number
  readonly maximum?: number
  readonly default?: unknown
  readonly items?: Leaf
  readonly properties?: Readonly<Record<string, Leaf>>
}

/** The schema of a field, where what JSON Schema cannot say is left out. */
export function leafOf(path: string): Leaf {
  const root = toJsonSchema(ConfigSchema, { errorMode: 'ignore' }) as Leaf
  return path.split('.').reduce<Leaf>((schema, key) => schema.properties![key]!, root)
}

function typeText({ type, enum: choices, minimum, maximum, items }: Leaf): string {
  if (choices !== undefined) return choices.map((choice) => `\`${choice}\``).join(', ')
  if (type === 'array') return `list of ${items?.type ?? 'string'}s`
  if (minimum === undefined) return type ?? ''
  return maximum === undefined ? `${type}, from ${minimum}` : `${type}, ${minimum} to ${maximum}`
}

function defaultText(path: string, { default: value }: Leaf): string {
  const machine = MACHINE_DEFAULTS[path]
  if (machine !== undefined) return machine
  const empty = EMPTY_MEANS[path]
  return empty === undefined ? `\`${JSON.stringify(value)}\`` : `empty: ${empty}`
}

function row(field: ConfigField): string {
  const leaf = leafOf(field.path)
  const cells = [
    `\`${field.path}\``,
    field.help,
    typeText(leaf),
    defaultText(field.path, leaf),
    `\`--${field.flag}\``,
    `\`${field.env}\``,
    RUNTIME_FIELDS.has(field.path) ? 'no' : 'yes'
  ]
  return `| ${cells.join(' | ')} |`
}

export function renderConfiguration(): string {
  const sectionOf = (field: ConfigField): string => (field.path.includes('.') ? field.path.split('.')[0]! : '')
  const sections = Object.entries(TITLES).map(([section, title]) => {
    const rows = CONFIG_FIELDS.filter((field) => sectionOf(field) === section).map(row)
    return `## ${title}

| field | what it does | type | default | flag | environment | restart |
|---|---|---|---|---|---|---|
${rows.join('\n')}`
  })
  return `# Configuration

Made from \`src/config/schema.ts\` by \`node scripts/generate-docs.mjs\`; change it there.

The daemon reads \`config.toml\`: \`--config FILE\`, \`CHRONYM_CONFIG\`, or \`~/.config/chronym/config.toml\`.
The systemd unit names \`/etc/chronym/config.toml\`. A field \`api.port\` is \`port\` in the section \`[api]\`.

\`\`\`toml
network = "main"

[p2p]
bootstrap = ["/dns4/seed.example/tcp/7469/p2p/12D3..."]
\`\`\`

A flag wins over the environment, that over a change at run time, that over the file, that over the default.
Fields without a restart also change at run time: \`chronym config set log.level=debug\`. \`chronym config unset\` takes
that back. \`chronym config get\` shows each value and where it comes from. \`chronym config check FILE\` checks a file.
In flags and variables, lists have commas. Unknown fields and values that do not fit are refused (SVC-CFG-001).
Paths in the file and in variables are absolute or begin with \`~/\`, your home directory; those of flags are from the
working directory.
A setting of an earlier release that was removed has no effect; log and \`config check\` say what holds in its place.
A variable \`CHRONYM_...\` that is no setting is named by log, \`config check\` and each command, with the nearest real one.

${sections.join('\n\n')}
`
}
