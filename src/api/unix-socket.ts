/** The UNIX socket of the HTTP interface: its places are the owner's, as no other user can connect. */
import { once } from 'node:events'
import { chmodSync, lstatSync, rmSync, statSync } from 'node:fs'
import { connect, type Server } from 'node:net'
import { dirname } from 'node:path'
import { shellWord } from '../util/shell-commands.ts'

/** sun_path without its closing zero: 108 bytes on Linux, 104 on macOS and the BSDs. */
const MAX_PATH_BYTES = process.platform === 'linux' ? 107 : 103
/** Permission bits of group and others. */
const OTHERS = 0o077

/**
 * Listens at an absolute path, mode 0600. Returns why it does not, with the cure; undefined when it does. Replaces a
 * socket that a killed daemon left, and nothing else. For who holds the lock of the data directory.
 */
export async function listenOnSocket(server: Server, path: string): Promise<string | undefined> {
  try {
    const obstacle = await obstacleTo(path)
    if (obstacle !== undefined) return obstacle
    server.listen({ path })
    await once(server, 'listening')
    // Nobody else could connect before: the directory is closed to others.
    chmodSync(path, 0o600)
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}

async function obstacleTo(path: string): Promise<string | undefined> {
  const bytes = Buffer.byteLength(path)
  if (bytes > MAX_PATH_BYTES)
    return `${path} has ${bytes} bytes, and a socket at most ${MAX_PATH_BYTES}. Choose a data directory with a shorter path`
  const directory = dirname(path)
  const { uid, mode } = statSync(directory)
  if (uid !== process.getuid?.())
    return `${directory} belongs to another user (uid ${uid}). Give it to the user of the daemon`
  if ((mode & OTHERS) !== 0)
    return `others may enter ${directory} (mode ${(mode & 0o777).toString(8)}). Close it: chmod 700 ${shellWord(directory)}`
  // Follows no link.
  const there = lstatSync(path, { throwIfNoEntry: false })
  if (there === undefined) return undefined
  if (!there.isSocket()) return `${path} is there, and is not a socket. Move it away`
  if (await answers(path)) return `another program listens at ${path}. End that program`
  rmSync(path)
  return undefined
}

async function answers(path: string): Promise<boolean> {
  const socket = connect({ path })
  try {
    await once(socket, 'connect')
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ECONNREFUSED'
  } finally {
    socket.destroy()
  }
}
