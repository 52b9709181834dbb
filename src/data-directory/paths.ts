/** Where the daemon keeps its files. The data directory is 0700; files with secrets are 0600. */
import { join } from 'node:path'
import { userDirectory } from '../util/user-paths.ts'

/** Networks never share a data directory: each gets its own below the user's. Throws PathError without a home. */
export function defaultDataDir(networkId: string): string {
  return join(userDirectory('data'), networkId)
}

export interface DataPaths {
  readonly root: string
  readonly database: string
  readonly tasks: string
  readonly token: string
  /**
   * Where the running daemon answers, and which it is: src/data-directory/running-record.ts. Exists while it runs, or
   * after a kill.
   */
  readonly running: string
  /** The owner's seed as 24 words: they give control of the names. */
  readonly seed: string
  /** The same under a passphrase, instead of `seed`. */
  readonly sealedSeed: string
  /** The node's own key, by which peers know it. */
  readonly nodeKey: string
  /** Signs the DNS zone on this machine; no name depends on it. */
  readonly dnsKey: string
  /** Of the authority of this machine: src/data-directory/https-authority.ts. */
  readonly httpsKey: string
  readonly httpsCertificate: string
  /** What is known of copies of the seed elsewhere; no secret. */
  readonly backupState: string
  /** The names, identities and unfinished tasks that the database must have: src/backup/holdings.ts. */
  readonly holdings: string
}

export function dataPaths(root: string): DataPaths {
  return {
    root,
    database: join(root, 'chronym.db'),
    tasks: join(root, 'tasks'),
    token: join(root, 'access_token'),
    running: join(root, 'running.json'),
    seed: join(root, 'seed-words'),
    sealedSeed: join(root, 'seed-words.age'),
    nodeKey: join(root, 'node-key'),
    dnsKey: join(root, 'dns-key'),
    httpsKey: join(root, 'https-key'),
    httpsCertificate: join(root, 'https-authority.pem'),
    backupState: join(root, 'backup-state.json'),
    holdings: join(root, 'holdings.json')
  }
}
