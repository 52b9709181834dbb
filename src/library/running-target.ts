/** The daemon that runs on a data directory, and what it must prove. */
import { existsSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { proofKey } from '../api/daemon-proof.ts'
import type { Target } from '../api/client/proven-fetch.ts'
import { UnreachableError } from '../api/client/transport.ts'
import type { DataPaths } from '../data-directory/paths.ts'
import { readRunningRecord } from '../data-directory/running-record.ts'
import { isDirectory } from '../util/files.ts'
import { shellWord } from '../util/shell-commands.ts'
import { messageOf } from '../protocol/errors.ts'

export interface TargetOptions {
  /** The main token of the directory; undefined where there is none. */
  readonly token: () => string | undefined
  /** How the caller names another daemon: a sentence, for error messages. */
  readonly elsewhere: string
  /** The same as an imperative without its object: `give --api and --token`. */
  readonly address: string
}

/** Throws UnreachableError when none runs there, and what `token` throws. */
export function runningTarget(paths: DataPaths, { token: readToken, elsewhere, address }: TargetOptions): Target {
  const start = `Start it: chronym daemon --data-dir ${shellWord(resolve(paths.root))}. ${elsewhere}`
  let record: ReturnType<typeof readRunningRecord>
  try {
    record = readRunningRecord(paths)
  } catch (cause) {
    throw new UnreachableError(`${paths.running} cannot be used: ${messageOf(cause)}`, {
      cure:
        'Run this as the user of the daemon. Or restart the daemon, which writes the file again. ' + `Or ${address}.`,
      cause
    })
  }
  if (record === 'absent')
    throw new UnreachableError(
      `no daemon runs on ${paths.root}${
        isDirectory(paths.root) ? '' : `, which ${existsSync(paths.root) ? 'is not a directory' : 'does not exist'}`
      }`,
      { cure: start }
    )
  if (record === 'copied')
    throw new UnreachableError(
      `no daemon runs on ${paths.root}: it is a copy, and its ${basename(paths.running)} belongs to another directory`,
      { cure: start }
    )
  const token = readToken()
  if (token === undefined)
    throw new UnreachableError(`${paths.token} is missing, so the daemon of ${paths.root} cannot prove itself`, {
      cure: `Restart the daemon, which makes the file. Or ${address}.`
    })
  const url = reachable(record.api_url)
  const silence =
    `no daemon runs on ${paths.root}: nothing answers at ${url}, which its ` + `${basename(paths.running)} names`
  const socket = record.api_socket === undefined ? undefined : resolve(paths.root, record.api_socket)
  return { url, socket, key: proofKey(token), instance: record.instance, token, silence, cure: start }
}

/** An address that means "every interface" is not an address to connect to. */
function reachable(listening: string): string {
  const { hostname, port } = new URL(listening)
  return `http://${hostname === '0.0.0.0' ? '127.0.0.1' : hostname === '[::]' ? '[::1]' : hostname}:${port || '80'}`
}
