import { spawn } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'

type Environment = Readonly<Record<string, string | undefined>>

/** A launcher that still runs after this has found a browser: some stay for as long as its window. Milliseconds. */
const SETTLED_MS = 3000

/** What opens an address on a platform; undefined where no browser would be seen. */
export function launcherOf(
  url: string,
  platform: NodeJS.Platform,
  env: Environment
): { readonly command: string; readonly args: readonly string[] } | undefined {
  const has = (name: string) => (env[name] ?? '') !== ''
  if (platform === 'win32') return { command: 'cmd.exe', args: ['/d', '/s', '/c', `"start "" "${url}""`] }
  // Somebody who came by SSH sits at another machine, unless the session forwards a display.
  if (platform === 'darwin') return has('SSH_CONNECTION') ? undefined : { command: 'open', args: [url] }
  const isSeen = has('DISPLAY') || has('WAYLAND_DISPLAY') || has('WSL_DISTRO_NAME')
  return isSeen ? { command: 'xdg-open', args: [url] } : undefined
}

/** Opens `url` in the browser of this desktop. False where there is none, or the launcher says that it failed. */
export async function openBrowser(url: string, env: Environment): Promise<boolean> {
  const launcher = launcherOf(url, process.platform, env)
  if (launcher === undefined) return false
  const child = spawn(launcher.command, launcher.args, {
    env,
    stdio: 'ignore',
    detached: true,
    // cmd.exe has quotes of its own.
    windowsVerbatimArguments: true
  })
  const settled = new AbortController()
  const exit = new Promise<boolean>((resolve) => {
    child.once('error', () => resolve(false))
    child.once('exit', (code) => resolve(code === 0))
  })
  const opened = await Promise.race([exit, delay(SETTLED_MS, true, { signal: settled.signal })])
  settled.abort()
  child.unref()
  return opened
}
