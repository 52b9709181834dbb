import type { Command } from 'commander'
import type { PinView } from '../../../views/pin.ts'
import { connect } from '../../connection/connect.ts'
import { action, type Run } from '../../context.ts'
import { EXIT } from '../../failures/exit-codes.ts'
import { formatRelative, formatTable, printable } from '../../terminal/format.ts'

function pinRow(
  {
    name,
    owner,
    check_code: code,
    state,
    since,
    second_look: secondLook,
    firm_since: firmSince,
    until,
    rival
  }: PinView,
  nowMs: number
): string[] {
  return [
    printable(name),
    printable(code),
    printable(owner),
    rival === null ? state : `${state}, contested by ${printable(rival)}`,
    formatRelative(since, nowMs),
    secondLook === null
      ? `firm ${formatRelative(firmSince ?? since, nowMs)}`
      : `due ${formatRelative(secondLook, nowMs)}`,
    until
  ]
}

export function pinsText(pins: readonly PinView[], nowMs: number): string {
  if (pins.length === 0) return 'no pins: this daemon has seen no name settled'
  return formatTable([
    ['name', 'check code', 'owner', 'state', 'since', 'second look', 'until'],
    ...pins.map((pin) => pinRow(pin, nowMs))
  ])
}

export function addPinCommands(program: Command, run: Run): void {
  const pins = program.command('pins').description('the owners of names that this daemon remembers').helpCommand(false)

  pins
    .command('list', { isDefault: true })
    .description('list them: an owner seen once is tentative and binds nothing; one seen twice is firm')
    .action(
      action(run, async (context) => {
        const all = await connect(context).pins()
        context.output.answer(all, () => pinsText(all, Date.now()))
        return EXIT.ok
      })
    )

  pins
    .command('forget')
    .argument('<name>')
    .description('forget the owner of a name: the next look-up alone decides who it is')
    .action(
      action(run, async (context, _options: unknown, name: string) => {
        const answer = await connect(context).forgetPin(name)
        context.output.answer(answer, () => `the owner of ${printable(name)} is forgotten; the next look decides`)
        return EXIT.ok
      })
    )
}
