import type { Command } from 'commander'
import { connect } from '../../connection/connect.ts'
import { action, type Context, type Run } from '../../context.ts'
import { EXIT, type ExitCode } from '../../failures/exit-codes.ts'
import { printable } from '../../terminal/format.ts'

async function dashboard(context: Context, { open }: { open: boolean }): Promise<ExitCode> {
  const client = connect(context)
  const { link, expires_at: expiresAt } = await client.createLoginLink()
  // In the fragment: browsers do not send it, so no log of a server or proxy has it.
  const url = `${client.baseUrl}/#login=${link}`
  const { output } = context
  if (open && !output.json) {
    const { openBrowser } = await import('../../open-browser.ts')
    if (await openBrowser(url, context.env)) {
      output.text(`The dashboard opens in your browser: ${printable(client.baseUrl)}/`)
      output.note('No window? chronym dashboard --no-open prints a link.')
      return EXIT.ok
    }
  }
  output.plain({ url, expires_at: expiresAt }, url)
  output.note('The link logs in once, within a minute. Keep it to yourself.')
  return EXIT.ok
}

/** dashboard: opens the page of the daemon, logged in. */
export function addDashboardCommand(program: Command, run: Run): void {
  program
    .command('dashboard')
    .description("open the daemon's dashboard in a browser, logged in by a link that works once")
    .option('--no-open', 'print the link; so does a run without a terminal or a browser')
    .action(action(run, (context, options: { open: boolean }) => dashboard(context, options)))
}
