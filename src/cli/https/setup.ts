/** `chronym https setup`: the authority of this machine, into the stores of its programs and out of them. */
import { generateKeyPairSync, X509Certificate } from 'node:crypto'
import { statSync } from 'node:fs'
import { isAbsolute, resolve } from 'node:path'
import { loadProfile } from '../../config/config.ts'
import { parseSocketAddress } from '../../config/socket-address.ts'
import {
  type AuthorityCertificate,
  NoAuthorityError,
  openAuthority,
  pemOf,
  readAuthorityCertificate,
  removeAuthority,
  writeAuthority
} from '../../data-directory/https-authority.ts'
import type { DataPaths } from '../../data-directory/paths.ts'
import { addon } from '../../native/addon.ts'
import { proxyRulesAddress } from '../../util/proxy-rules.ts'
import { plural } from '../../util/words.ts'
import { printable } from '../terminal/format.ts'
import { localConfig, localPaths } from '../connection/location.ts'
import type { Context } from '../context.ts'
import { requireOwnZone } from '../dns/own-zone.ts'
import { createHost } from '../dns/setup/host.ts'
import { EXIT, type ExitCode, Failure, messageOf, usageFailure } from '../failures/failure.ts'
import { requireConsent } from '../input/questions.ts'
import { requireOwnSeed } from '../key/seed.ts'
import {
  commandsByHand,
  distrustInBrowsers,
  distrustInSystem,
  type StoreChange,
  type Trusted,
  trustInBrowsers,
  trustInSystem
} from './stores.ts'

interface SetupOptions {
  system?: boolean
  undo?: boolean
  zone?: string
  yes?: boolean
  seedPassphraseFile?: string
}

export async function setup(context: Context, options: SetupOptions): Promise<ExitCode> {
  const paths = localPaths(context)
  const host = createHost()
  if (options.system === true && !host.mayWrite)
    throw usageFailure('--system changes files of root', 'Repeat it with sudo, and name the directory: --data-dir DIR.')
  if (options.undo === true) return undo(context, paths)
  const { tld } = loadProfile(localConfig(context).network)
  requireOwnZone(tld, options.zone, 'Browsers would then take a key of this machine for all of it.')
  const isOfOther = isDirectoryOfOther(paths)
  const open = <T>(read: () => T | undefined): T | undefined => {
    const found = checked(read, isOfOther)
    if (found !== undefined || !isOfOther) return found
    throw usageFailure(
      'the authority belongs to the user of the data directory, who has none yet',
      'Run this as that user first: chronym https setup'
    )
  }
  open(() => readAuthorityCertificate(paths))
  await requireConsent(context, {
    cost: 'this makes an authority that browsers of this user trust',
    shown: sentences(tld, options.system === true),
    question: 'Set it up?',
    isGiven: options.yes === true
  })
  const { seed } = await requireOwnSeed(context, paths, options.seedPassphraseFile)
  const trusted = trustedOf(paths, open(() => openAuthority(paths, seed, tld)) ?? make(paths, seed, tld))
  const byHand = commandsByHand(host.platform, trusted, false)
  const changes = byHand.length > 0 || isOfOther ? [] : trustInBrowsers(host, homeOf(context), trusted)
  if (options.system === true && byHand.length === 0) changes.push(trustInSystem(host, trusted))
  return told(context, { trusted, changes, byHand }, [
    'Turn it on: chronym config set https.enabled=true',
    'Then give browsers its rules (docs/https.md), as the address of an automatic proxy configuration:',
    rulesAddress(tld, localConfig(context).https.listen)
  ])
}

function rulesAddress(tld: string, listen: string): string {
  const proxy = parseSocketAddress(listen)!
  return proxy.port === 0
    ? 'https.listen names no port, so the address changes: the dashboard has it, under Network'
    : proxyRulesAddress(tld, proxy)
}

function sentences(tld: string, isSystem: boolean): string {
  const who = isSystem ? 'Programs of all users' : 'Firefox, Chromium and their kin, for this user alone,'
  return [
    `${who} will trust a key in the data directory to vouch for names that end in .${tld}, and for no others.`,
    ...(isSystem ? ['Java does not read that limit: to its programs the key vouches for every name.'] : []),
    `A thief of that key and of your seed can show this machine a false site of any .${tld} name for ten years.`,
    'Take it back with: chronym https setup --undo'
  ].join('\n')
}

/** Throws a Failure where what lies in the directory is no authority of its seed and network. */
function checked<T>(read: () => T, isOfOther: boolean): T {
  try {
    return read()
  } catch (cause) {
    if (!(cause instanceof NoAuthorityError)) throw cause
    throw new Failure('CLI-INP-001', cause.message, {
      exitCode: EXIT.refused,
      cure:
        (isOfOther
          ? 'Nothing was changed. The user of the directory takes it back'
          : 'Take it back, then repeat this') + ': chronym https setup --undo',
      cause
    })
  }
}

function make(paths: DataPaths, seed: Uint8Array, suffix: string): AuthorityCertificate {
  const key = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'der', type: 'pkcs8' })
  const certificate = addon().authorityCertificate(key, suffix, Math.floor(Date.now() / 1000))
  writeAuthority(paths, seed, { key, certificate })
  return { certificate, pem: pemOf(certificate), suffix }
}

function undo(context: Context, paths: DataPaths): ExitCode {
  const isOfOther = isDirectoryOfOther(paths)
  let authority: AuthorityCertificate | undefined
  try {
    authority = checked(() => readAuthorityCertificate(paths), isOfOther)
  } catch (error) {
    if (isOfOther || !((error as Failure).cause instanceof NoAuthorityError)) throw error
    // Whatever lies there instead of an authority says nothing of what stores have.
    removeAuthority(paths)
    context.output.answer({ stores: [] }, () =>
      [
        `${printable(messageOf(error))}. It is removed, with its key.`,
        'Stores are as before: the authority that was there may still be in them, as "Chronym names on this machine".'
      ].join('\n')
    )
    return EXIT.ok
  }
  if (authority === undefined) {
    context.output.answer({ stores: [] }, () => 'nothing to take back')
    return EXIT.ok
  }
  const host = createHost()
  const trusted = trustedOf(paths, authority)
  const byHand = commandsByHand(host.platform, trusted, true)
  const changes = [
    ...(byHand.length > 0 || isOfOther ? [] : distrustInBrowsers(host, homeOf(context), trusted)),
    ...distrustInSystem(host, trusted)
  ]
  if (isOfOther)
    return told(context, { trusted, changes, byHand }, [
      "The system's store is as before. For that user's browsers, run this as that user: chronym https setup --undo"
    ])
  // The certificate says what is still to be taken back.
  if (changes.every(({ state }) => state !== 'failed')) removeAuthority(paths)
  return told(context, { trusted, changes, byHand }, ['The authority is removed. Restart the daemon if it runs.'])
}

/** Under sudo: root changes the system's store alone, since the browsers and the files are of that user. */
function isDirectoryOfOther({ root }: DataPaths): boolean {
  return process.geteuid?.() === 0 && (statSync(root, { throwIfNoEntry: false })?.uid ?? 0) !== 0
}

export function trustedOf(paths: DataPaths, { certificate, pem }: AuthorityCertificate): Trusted {
  const nickname = /^CN=(.*)$/mu.exec(new X509Certificate(certificate).subject)![1]!
  return { nickname, file: resolve(paths.httpsCertificate), certificate, pem }
}

export function homeOf({ env }: Context): string {
  const home = env['HOME']
  if (home === undefined || !isAbsolute(home))
    throw usageFailure('HOME is not set to an absolute path, where browsers keep their stores')
  return home
}

interface Done {
  readonly trusted: Trusted
  readonly changes: readonly StoreChange[]
  readonly byHand: readonly string[]
}

function told(context: Context, { trusted, changes, byHand }: Done, next: readonly string[]): ExitCode {
  const failures = changes.filter(({ state }) => state === 'failed').length
  context.output.answer(
    { authority: trusted.nickname, certificate: trusted.file, stores: changes, commands: byHand },
    (paint) =>
      [
        `${trusted.nickname}: ${trusted.file}`,
        ...changes.map(
          ({ store, state, reason }) =>
            `${state === 'failed' ? paint('red', state) : state.padEnd(7)} ${printable(store)}${reason === undefined ? '' : `: ${printable(reason)}`}`
        ),
        ...byHand.map((command) => `Run: ${command}`),
        ...(failures > 0 ? [`${plural(failures, 'store')} could not be changed.`] : next)
      ].join('\n')
  )
  return failures > 0 ? EXIT.refused : EXIT.ok
}
