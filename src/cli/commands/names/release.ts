import type { Command } from 'commander'
import type { OwnedNameView } from '../../../views/own.ts'
import { connect } from '../../connection/connect.ts'
import { requireConsent } from '../../questions/consent.ts'
import { action, type Run } from '../../context.ts'
import { EXIT } from '../../failures/exit-codes.ts'
import { formatRelative, printable } from '../../terminal/format.ts'

interface ReleaseOptions {
  undo?: boolean
  yes?: boolean
}

function endOf({ lease_end: end }: Pick<OwnedNameView, 'lease_end'>): string {
  return `${end} (${formatRelative(end, Date.now())})`
}

export function addReleaseCommand(program: Command, run: Run): void {
  program
    .command('release')
    .argument('<name>', 'a name of this daemon')
    .description('let a name lapse: the daemon stops renewing it. Until it lapses, --undo or a renewal takes it back')
    .option('--undo', 'take it back: the daemon renews it again')
    .option('-y, --yes', 'do not ask')
    .action(
      action(run, async (context, options: ReleaseOptions, name: string) => {
        const client = connect(context)
        if (options.undo === true) {
          const kept = await client.takeBack(name)
          context.output.answer(
            kept,
            () =>
              `${printable(kept.name)} is kept; its lease ends at ${endOf(kept)}, and it is renewed before ` +
              `that${kept.renewal.state === 'off' ? ' once auto_renew is on' : ''}`
          )
          return EXIT.ok
        }
        const owned = (await client.names()).find((each) => each.name === name.toLowerCase())
        // For other names the daemon's refusal says more.
        if (owned !== undefined) {
          const cost =
            `The daemon stops renewing ${printable(owned.name)}: its lease ends at ${endOf(owned)}, and ` +
            'after the grace anyone may register it'
          await requireConsent(context, { cost, question: 'Let it lapse?', isGiven: options.yes === true })
        }
        const released = await client.release(name)
        context.output.answer(released, () =>
          context.output.commands(
            `${printable(released.name)} is released and lapses at ${endOf(released)}. Until the grace ends, ` +
              `take it back: chronym release --undo ${printable(released.name)}`
          )
        )
        return EXIT.ok
      })
    )
}
