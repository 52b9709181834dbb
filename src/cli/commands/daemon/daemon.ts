import type { Command } from 'commander'
import { CONFIG_FIELDS } from '../../../config/config.ts'
import { action, type Run } from '../../context.ts'
import type { ExitCode } from '../../failures/exit-codes.ts'
import { collectOption } from '../../input/values.ts'
import { endWithParent } from '../../until-interrupted.ts'

/** Taken by every command, so the program itself has it. */
const GLOBAL_FLAGS: ReadonlySet<string> = new Set(['data-dir'])

function camelCase(flag: string): string {
  return flag.replaceAll(/-(?<letter>[a-z])/gu, (_match, letter: string) => letter.toUpperCase())
}

/** The arguments of chronymd that say what the options say. */
export function daemonArguments(options: Readonly<Record<string, readonly string[] | string | undefined>>): string[] {
  return ['config', ...CONFIG_FIELDS.map(({ flag }) => flag)].flatMap((flag) => {
    const given = options[camelCase(flag)]
    if (given === undefined) return []
    return (typeof given === 'string' ? [given] : given).map((value) => `--${flag}=${value}`)
  })
}

/** `chronym daemon`: the same program as chronymd, with the same options. */
export function addDaemonCommand(program: Command, run: Run): void {
  const command = program
    .command('daemon')
    .description('run the daemon until Ctrl-C or SIGTERM (the same as chronymd)')
    .option('--config <file>', 'configuration file')
  for (const field of CONFIG_FIELDS) {
    if (!GLOBAL_FLAGS.has(field.flag))
      command.option(`--${field.flag} <${field.kind}>`, `${field.help} (${field.env})`, collectOption)
  }
  command.action(
    action(run, async (context, options: Record<string, string[] | string | undefined>) => {
      const release = endWithParent()
      const { runChronymd } = await import('../../../daemon/chronymd.ts')
      const args = daemonArguments({ ...options, dataDir: context.options.dataDir })
      try {
        return (await runChronymd(context.output.explicitJson ? [...args, '--json'] : args, {
          ...context.env
        })) as ExitCode
      } finally {
        release()
      }
    })
  )
}
