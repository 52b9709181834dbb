import type { Command } from 'commander'
import { action, type Run } from '../../context.ts'
import { diagnose, type Configuration } from '../../doctor.ts'
import { EXIT } from '../../failures/exit-codes.ts'
import { findingLine, isHealthy, verdictLine } from '../../findings.ts'
import { formatTable, printable } from '../../terminal/format.ts'

function configurationText({ from, fields }: Configuration): string {
  const title =
    from === 'daemon'
      ? 'configuration of the running daemon'
      : 'configuration of file and environment (no daemon answers)'
  const rows = fields.map(({ field, value, source }) => [field, printable(JSON.stringify(value)), source])
  return `${title}\n${formatTable([['field', 'value', 'from'], ...rows])}`
}

export function addDoctorCommand(program: Command, run: Run): void {
  program
    .command('doctor')
    .description(
      'check Node, addon, configuration, token, seed, daemon, peers and beacon (exit code 1 when something is wrong)'
    )
    .action(
      action(run, async (context) => {
        const { findings, configuration } = await diagnose(context)
        const healthy = isHealthy(findings)
        context.output.answer({ healthy, checks: findings, configuration: configuration ?? null }, (paint) =>
          [
            ...findings.map((finding) => context.output.commands(findingLine(finding, paint))),
            ...(configuration === undefined ? [] : ['', configurationText(configuration)]),
            '',
            verdictLine(findings, paint)
          ].join('\n')
        )
        return healthy ? EXIT.ok : EXIT.negative
      })
    )
}
