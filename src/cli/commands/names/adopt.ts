import type { Command } from 'commander'
import type { WantedView } from '../../../views/own.ts'
import { connect } from '../../connection/connect.ts'
import { action, type Run } from '../../context.ts'
import { EXIT } from '../../failures/exit-codes.ts'
import { usageFailure } from '../../failures/failure.ts'
import { printable } from '../../terminal/format.ts'

interface AdoptOptions {
  forget?: boolean
}

export function wantedLines(wanted: readonly WantedView[]): string[] {
  return wanted.map(({ id, state, detail }) => `${printable(id)}  ${state}: ${printable(detail)}`)
}

export function addAdoptCommand(program: Command, run: Run): void {
  program
    .command('adopt')
    .argument('[names...]', 'names or DIDs of this seed; without one: list what the daemon looks for')
    .description(
      'find names and identities of this seed in the network and adopt them, as after a restore from ' +
        'the words. The daemon keeps looking for those it does not find'
    )
    .option('--forget', 'stop looking for them, and give them up where the database lost them')
    .action(
      action(run, async (context, { forget }: AdoptOptions, names: string[]) => {
        const client = connect(context)
        if (forget === true) {
          if (names.length === 0) throw usageFailure('--forget needs a name')
          for (const name of names) await client.unwant(name)
          context.output.answer({ forgotten: names }, () => `looked for no more: ${names.map(printable).join(', ')}`)
          return EXIT.ok
        }
        const wanted: WantedView[] = []
        if (names.length === 0) wanted.push(...(await client.wanted()))
        for (const name of names) wanted.push(await client.want(name))
        context.output.answer(wanted, () =>
          wanted.length === 0 ? 'nothing is looked for' : context.output.commands(wantedLines(wanted).join('\n'))
        )
        return names.length > 0 && wanted.some(({ state }) => state !== 'adopted') ? EXIT.negative : EXIT.ok
      })
    )
}
