import type { Command } from 'commander'
import { action, type Run } from '../../context.ts'
import { EXIT } from '../../failures/exit-codes.ts'
import { findingLine, isHealthy } from '../../findings.ts'

export function addSelfCheckCommand(program: Command, run: Run): void {
  program
    .command('self-check')
    .description(
      'after an installation or upgrade: check the installed files, the addon against known answers, configuration, ' +
        'data directory, and the version or ports of the daemon (exit code 1 when something is wrong)'
    )
    .action(
      action(run, async (context) => {
        const { selfCheck } = await import('../../self-check/self-check.ts')
        const findings = await selfCheck(context)
        const healthy = isHealthy(findings)
        context.output.answer({ healthy, checks: findings }, (paint) =>
          context.output.commands(findings.map((finding) => findingLine(finding, paint)).join('\n'))
        )
        return healthy ? EXIT.ok : EXIT.negative
      })
    )
}
