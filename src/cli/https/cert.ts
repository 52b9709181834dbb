/**
 * `chronym https cert`: the key of a server, and the TLSA record that names it. A roll goes through files that say how far
 * it came, so that the same command continues after a crash:
 * `NAME.next.pem` is the key that follows; `NAME.old.pem` is the one whose record is still to be dropped.
 */
import { spawnSync } from 'node:child_process'
import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto'
import { existsSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Client } from '../../api/client/client.ts'
import { addon } from '../../native/addon.ts'
import { canonicalName } from '../../protocol/name/names.ts'
import { DEFAULT_TTL } from '../../protocol/zone/zone.ts'
import { replaceFileSync } from '../../util/replace-file.ts'
import { pemOf } from '../../data-directory/https-authority.ts'
import { connect } from '../connection/connect.ts'
import type { Context } from '../context.ts'
import { EXIT, Failure, usageFailure } from '../failures/failure.ts'
import { currentZone } from '../zone/saving.ts'

interface CertOptions {
  readonly out?: string
  readonly port: number
  readonly roll?: boolean
  readonly reload?: string
  /** Seconds. */
  readonly wait?: number
}

/** Clocks, and the way from the zone to a visitor. */
const SPARE_SECONDS = 10
/** A server takes connections with the old key for a moment after it was told of the new one. */
const RELOAD_SECONDS = 5

/** The server that the certificate is for. */
interface Site {
  /** As given, and with the check code of its name. */
  readonly hosts: readonly string[]
  /** The registered name, and where in its zone the record is. */
  readonly name: string
  readonly label: string
}

export async function cert(context: Context, options: CertOptions, given: string): Promise<void> {
  if (options.reload !== undefined && options.roll !== true)
    throw usageFailure(
      '--reload has no effect without --roll',
      'A new certificate is first put into the configuration.'
    )
  const directory = resolve(options.out ?? '.')
  if (statSync(directory, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw usageFailure(`--out ${directory} is no directory`, 'Make it, or name another one.')
  const client = connect(context)
  const site = await siteOf(client, given, options.port)
  const [host] = site.hosts as [string]
  const at = (kind: string): string => join(directory, `${host}${kind}.pem`)
  const [present, next, old] = [at(''), at('.next'), at('.old')]
  if (!existsSync(present)) {
    if (options.roll === true) throw usageFailure(`there is no ${present} to roll`, 'Make it: leave --roll out.')
    makePair(present, site)
  }
  if (options.roll === true && !existsSync(old)) {
    if (!existsSync(next)) makePair(next, site)
    const ttl = await publishRecords(client, site, { add: [present, next].map(recordOf) })
    const seconds = options.wait ?? ttl + SPARE_SECONDS
    context.output.note(
      `Both keys are in the zone. Visitors know the new one in ${seconds} s; then it is put in place.`
    )
    await pause(seconds * 1000, undefined, { signal: context.signal })
    // The record of the old key is dropped by its file, also where a crash comes now.
    replaceFileSync(old, readFileSync(present), 0o600)
    renameSync(next, present)
  } else await publishRecords(client, site, { add: [recordOf(present)] })
  if (existsSync(old)) {
    if (options.reload !== undefined) {
      reload(options.reload)
      const seconds = Math.min(RELOAD_SECONDS, options.wait ?? RELOAD_SECONDS)
      await pause(seconds * 1000, undefined, { signal: context.signal })
    }
    await publishRecords(client, site, { remove: recordOf(old) })
    rmSync(old)
  }
  const record = `${site.label} TLSA ${recordOf(present)}`
  context.output.answer({ file: present, hosts: site.hosts, name: site.name, record }, () =>
    [
      `${present}: the key and its certificate, for ${site.hosts.join(' and ')}`,
      `in the zone of ${site.name}: ${record}`,
      ...(options.roll === true ? [] : ['', serverWords(present, site.hosts, options.port)])
    ].join('\n')
  )
}

async function siteOf(client: Client, given: string, port: number): Promise<Site> {
  const host = canonicalName(given)
  const owned = await client.names()
  const own = owned.find(({ name }) => host === name || host.endsWith(`.${name}`))
  if (own === undefined)
    throw new Failure('SVC-NAM-003', `${host} is no name of this daemon, nor below one`, {
      exitCode: EXIT.refused,
      cure: 'List its names: chronym names'
    })
  const below = host.slice(0, -own.name.length)
  const coded = own.coded_name === null ? [] : [`${below}${own.coded_name}`]
  return {
    hosts: [host, ...coded],
    name: own.name,
    label: `_${port}._tcp${below === '' ? '' : `.${below.slice(0, -1)}`}`
  }
}

/** A key and the certificate that it signs itself, in one file: no server sees one without the other. */
function makePair(path: string, { hosts }: Site): void {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const der = privateKey.export({ format: 'der', type: 'pkcs8' })
  const certificate = addon().serverCertificate(der, hosts, Math.floor(Date.now() / 1000))
  const key = String(privateKey.export({ format: 'pem', type: 'pkcs8' }))
  replaceFileSync(path, `${pemOf(certificate)}${key}`, 0o600)
}

/** DANE-EE, the public key, SHA-256. */
function recordOf(path: string): string {
  const key = createPublicKey(createPrivateKey(readFileSync(path)))
  const hash = createHash('sha256').update(key.export({ format: 'der', type: 'spki' }))
  return `3 1 1 ${hash.digest('hex')}`
}

/** Adds or drops records at the site's place and publishes the zone. The longest TTL there, in seconds. */
async function publishRecords(
  client: Client,
  { name, label }: Site,
  { add = [], remove }: { readonly add?: readonly string[]; readonly remove?: string }
): Promise<number> {
  const { zone, state, etag } = await currentZone(client, name)
  if (state === 'draft')
    throw new Failure('SVC-ZON-004', `the zone of ${name} has a draft, which this would publish too`, {
      exitCode: EXIT.refused,
      cure: `Look at it with \`chronym zone diff ${name}\`; then publish or discard it, and repeat this.`
    })
  const present = (zone.records[label] ?? []).filter(({ type }) => type === 'TLSA')
  const has = (value: string): boolean => present.some((record) => record.value.toLowerCase() === value)
  const missing = add.filter((value) => !has(value))
  const dropped = remove !== undefined && has(remove)
  if (missing.length > 0 || dropped) {
    await client.patchZone(
      name,
      {
        ...(missing.length > 0 && { add: { [label]: missing.map((value) => ({ type: 'TLSA' as const, value })) } }),
        ...(dropped && { remove: [{ label, type: 'TLSA', value: remove }] })
      },
      { ifMatch: etag }
    )
    await client.publishZone(name)
  }
  return Math.max(DEFAULT_TTL, ...present.map(({ ttl }) => ttl ?? DEFAULT_TTL))
}

function reload(command: string): void {
  const { status, error } = spawnSync(command, { shell: true, stdio: ['ignore', 2, 2] })
  if (status === 0) return
  throw new Failure('CLI-INP-001', `\`${command}\` failed: ${error?.message ?? `exit code ${status}`}`, {
    exitCode: EXIT.refused,
    cure: 'The new key is in place, and both are in the zone. Repeat the same command: it continues here.'
  })
}

/** `escaped`: what a backslash takes its meaning from, between quotes. */
function quoted(path: string, escaped: RegExp): string {
  return /^[\w./@:+,-]+$/u.test(path) ? path : `"${path.replaceAll(escaped, String.raw`\$&`)}"`
}

/** A site for each server, as its file takes it. */
export function serverConfigurations(
  file: string,
  hosts: readonly string[],
  port: number
): Readonly<Record<'nginx' | 'Caddy', string>> {
  const path = quoted(file, /["\\]/gu)
  // Caddy takes other backslashes as they are.
  const caddyPath = quoted(file, /"/gu)
  const suffix = port === 443 ? '' : `:${port}`
  return {
    nginx: [
      'server {',
      `    listen ${port} ssl;`,
      `    server_name ${hosts.join(' ')};`,
      `    ssl_certificate ${path};`,
      `    ssl_certificate_key ${path};`,
      '}'
    ].join('\n'),
    Caddy: [
      `${hosts.map((host) => `https://${host}${suffix}`).join(', ')} {`,
      `    tls ${caddyPath} ${caddyPath}`,
      '}'
    ].join('\n')
  }
}

function serverWords(file: string, hosts: readonly string[], port: number): string {
  const sites = Object.entries(serverConfigurations(file, hosts, port))
  return sites.map(([server, site]) => `${server}, beside your own lines:\n${site}`).join('\n\n')
}
