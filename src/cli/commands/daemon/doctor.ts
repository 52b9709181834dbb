import type { Command } from 'commander'
import { action, type Run } from '../../context.ts'
import { diagnose, type Configuration, type Finding } from '../../doctor.ts'
import { EXIT } from '../../failures/exit-codes.ts'
import { formatTable, printable } from '../../terminal/format.ts'
import type { Paint } from '../../terminal/output.ts'

const MARKS = { ok: ['green', 'ok  '], warning: ['yellow', 'warn'], failed: ['red', 'FAIL'] } as const

function line(finding: Finding, paint: Paint): string {
  const [style, mark] = MARKS[finding.state]
  return (
    `${paint(style, mark)}  ${finding.name.padEnd(8)}  ` +
    `${printable(finding.detail)}${finding.cure === undefined ? '' : `\n                ${finding.cure}`}`
  )
}

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
        const healthy = findings.every(({ state }) => state !== 'failed')
        context.output.answer({ healthy, checks: findings, configuration: configuration ?? null }, (paint) =>
          [
            ...findings.map((finding) => line(finding, paint)),
            ...(configuration === undefined ? [] : ['', configurationText(configuration)])
          ].join('\n')
        )
        return healthy ? EXIT.ok : EXIT.negative
      })
    )
}
