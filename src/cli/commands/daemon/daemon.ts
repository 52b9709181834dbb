import { setTimeout as delay } from 'node:timers/promises'
import { Option } from 'commander'
import { CONFIG_FIELDS } from '../../../config/config.ts'
import { REMOVED_SETTINGS } from '../../../config/removed.ts'
import type { Context, CliCommand } from '../../context.ts'
import { type ExitCode } from '../../failures/failure.ts'
import { collectOption } from '../../input/values.ts'
import { endWithParent } from '../../failures/interruption.ts'
import { connect } from '../../connection/connect.ts'
import { printable } from '../../terminal/format.ts'

/** Taken by every command, so the program itself has it. */
const GLOBAL_FLAGS: ReadonlySet<string> = new Set(['data-dir'])

function camelCase(flag: string): string {
  return flag.replaceAll(/-(?<letter>[a-z])/gu, (_match, letter: string) => letter.toUpperCase())
}

export function daemonArguments(options: Readonly<Record<string, readonly string[] | string | undefined>>): string[] {
  return ['config', ...[...CONFIG_FIELDS, ...REMOVED_SETTINGS].map(({ flag }) => flag)].flatMap((flag) => {
    const given = options[camelCase(flag)]
    if (given === undefined) return []
    return (typeof given === 'string' ? [given] : given).map((value) => `--${flag}=${value}`)
  })
}

export function addDaemonCommand(program: CliCommand): void {
  const command = program
    .command('daemon')
    .description('run the daemon until Ctrl-C or SIGTERM (the same as chronymd)')
    .option('--config <file>', 'configuration file')
  for (const field of CONFIG_FIELDS) {
    if (!GLOBAL_FLAGS.has(field.flag))
      command.option(`--${field.flag} <${field.kind}>`, `${field.help} (${field.env})`, collectOption)
  }
  // The daemon warns of them.
  for (const { flag } of REMOVED_SETTINGS)
    command.addOption(new Option(`--${flag} <value>`).argParser(collectOption).hideHelp())
  command.runs(async (context, options: Record<string, string[] | string | undefined>) => {
    const release = endWithParent()
    const { runChronymd } = await import('../../../daemon/chronymd.ts')
    const args = daemonArguments({ ...options, dataDir: context.options.dataDir })
    try {
      return (await runChronymd(context.output.json ? [...args, '--json'] : args, {
        ...context.env
      })) as ExitCode
    } finally {
      release()
    }
  })
}

async function dashboard(context: Context, { open }: { open: boolean }): Promise<void> {
  const client = connect(context)
  const { link, expires_at: expiresAt } = await client.createLoginLink()
  // In the fragment: browsers do not send it, so no log of a server or proxy has it.
  const url = `${client.baseUrl}/#login=${link}`
  const { output } = context
  if (open && !output.json && output.isTerminal) {
    if (await openBrowser(url, context.env)) {
      output.line(`The dashboard opens in your browser: ${printable(client.baseUrl)}/`)
      output.note('No window? chronym dashboard --no-open prints a link.')
      return
    }
  }
  output.plain({ url, expires_at: expiresAt }, url)
  output.note('The link logs in once, within a minute. Keep it to yourself.')
}

export function addDashboardCommand(program: CliCommand): void {
  program
    .command('dashboard')
    .description("open the daemon's dashboard in a browser, logged in by a link that works once")
    .option('--no-open', 'print the link; so does a run without a terminal or a browser')
    .runs((context, options: { open: boolean }) => dashboard(context, options))
}

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
async function openBrowser(url: string, env: Environment): Promise<boolean> {
  const launcher = launcherOf(url, process.platform, env)
  if (launcher === undefined) return false
  const { spawn } = await import('node:child_process')
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
