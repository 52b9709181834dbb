/** `chronym https setup`: the authority of this machine, into the stores of its programs and out of them. */
import { generateKeyPairSync, X509Certificate } from 'node:crypto'
import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { loadProfile } from '../../config/config.ts'
import {
  openAuthority,
  readAuthorityCertificate,
  removeAuthority,
  writeAuthority
} from '../../data-directory/https-authority.ts'
import type { DataPaths } from '../../data-directory/paths.ts'
import { addon } from '../../native/addon.ts'
import { plural } from '../../util/words.ts'
import { localConfig, localPaths } from '../connection/location.ts'
import type { Context } from '../context.ts'
import { createHost } from '../dns/setup/host.ts'
import { EXIT, type ExitCode, Failure, usageFailure } from '../failures/failure.ts'
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
  const isOfOther = isDirectoryOfOther(paths)
  if (isOfOther && readAuthorityCertificate(paths) === undefined)
    throw usageFailure(
      'the authority belongs to the user of the data directory, who has none yet',
      'Run this as that user first: chronym https setup'
    )
  await requireConsent(context, {
    cost: 'this makes an authority that browsers of this user trust',
    shown: sentences(tld, options.system === true),
    question: 'Set it up?',
    isGiven: options.yes === true
  })
  const { seed } = await requireOwnSeed(context, paths, options.seedPassphraseFile)
  if (opened(paths, seed) === undefined) {
    const key = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'der', type: 'pkcs8' })
    const certificate = addon().authorityCertificate(key, tld, Math.floor(Date.now() / 1000))
    writeAuthority(paths, seed, { key, certificate })
  }
  const trusted = trustedOf(paths, readAuthorityCertificate(paths)!)
  const byHand = commandsByHand(host.platform, trusted, false)
  const changes = byHand.length > 0 || isOfOther ? [] : trustInBrowsers(host, homeOf(context), trusted)
  if (options.system === true && byHand.length === 0) changes.push(trustInSystem(host, trusted))
  return told(context, { trusted, changes, byHand }, [
    'Turn it on: chronym config set https.enabled=true',
    'Then give browsers its rules: http://127.0.0.1:7468/proxy.pac, or where your daemon answers (docs/https.md).'
  ])
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

function opened(paths: DataPaths, seed: Uint8Array): ReturnType<typeof openAuthority> {
  try {
    return openAuthority(paths, seed)
  } catch (cause) {
    throw new Failure('CLI-INP-001', (cause as Error).message, {
      exitCode: EXIT.refused,
      cure: 'Take the old authority back, then repeat this: chronym https setup --undo',
      cause
    })
  }
}

function undo(context: Context, paths: DataPaths): ExitCode {
  const pem = readAuthorityCertificate(paths)
  if (pem === undefined) {
    context.output.answer({ stores: [] }, () => 'nothing to take back')
    return EXIT.ok
  }
  const host = createHost()
  const trusted = trustedOf(paths, pem)
  const byHand = commandsByHand(host.platform, trusted, true)
  const isOfOther = isDirectoryOfOther(paths)
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

export function trustedOf(paths: DataPaths, pem: string): Trusted {
  const nickname = /^CN=(.*)$/mu.exec(new X509Certificate(pem).subject)![1]!
  return { nickname, file: resolve(paths.httpsCertificate), pem }
}

export function homeOf({ env }: Context): string {
  const home = env['HOME']
  if (home === undefined || home === '') throw usageFailure('HOME is not set, where browsers keep their stores')
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
        ...changes.map(({ store, state, reason }) =>
          state === 'failed' ? `${paint('red', 'failed')} ${store}: ${reason}` : `${state.padEnd(7)} ${store}`
        ),
        ...byHand.map((command) => `Run: ${command}`),
        ...(failures > 0 ? [`${plural(failures, 'store')} could not be changed.`] : next)
      ].join('\n')
  )
  return failures > 0 ? EXIT.refused : EXIT.ok
}
