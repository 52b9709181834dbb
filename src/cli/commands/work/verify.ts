import type { Command } from 'commander'
import { parseAskedName } from '../../../protocol/claim/check-code.ts'
import type { RevealJson, Verification, VerifiedReveal } from '../../../verify/verifier.ts'
import { action, type Run } from '../../context.ts'
import { EXIT } from '../../failures/exit-codes.ts'
import { readJson } from '../../input/files.ts'
import { askedName, CODE_OPTION, type CodeOption } from '../../input/names.ts'
import { loadProfile } from '../../profile.ts'
import { formatFields, formatRelative, printable } from '../../terminal/format.ts'
import type { Paint } from '../../terminal/output.ts'

const MARKS = { true: ['green', 'ok  '], false: ['red', 'no  '], null: ['dim', '-   '] } as const

/** Each check, then the verdict, then what a valid record says. */
export function verificationText(
  { checks, problem, value }: Verification<VerifiedReveal>,
  nowMs: number,
  paint: Paint
): string {
  const lines = checks.map(({ passed, title, detail }) => {
    const [style, mark] = MARKS[`${passed}`]
    return `${paint(style, mark)}${title}${detail === '' ? '' : `: ${printable(detail)}`}`
  })
  if (value === undefined)
    return [...lines, '', `${paint('red', 'not valid')}: ${printable(problem!.detail)}`].join('\n')
  const end = new Date(value.leaseEnds).toISOString()
  return [
    ...lines,
    '',
    paint('green', 'valid'),
    formatFields([
      ['name', printable(value.name)],
      ['check code', value.checkCode],
      ['owner', value.owner],
      ['lease', `until ${end} (${formatRelative(end, nowMs)})`]
    ])
  ].join('\n')
}

export function addVerifyCommand(program: Command, run: Run): void {
  program
    .command('verify')
    .argument('<name>', 'the name that was asked for, best with the check code that its owner gave you')
    .argument('<file>', 'a Reveal as `chronym --json resolve` prints it; "-" is standard input')
    .description('check a record of a name offline: exit code 0 when it is valid and of that claim, 1 when not')
    .option(...CODE_OPTION)
    .option('--network <network>', 'local, test, main, or a profile file (default: that of the configuration)')
    .action(
      action(
        run,
        async (context, { network, code }: { network?: string } & CodeOption, typed: string, file: string) => {
          const name = askedName(typed, code)
          const profile = loadProfile(context, network)
          // A typing error is no verdict on the record.
          parseAskedName(name, profile)
          const reveal = (await readJson(file, context.stdin)) as RevealJson
          const { verifyReveal } = await import('../../../verify/node.ts')
          const result = await verifyReveal(reveal, { profile, name })
          context.output.answer(result, (paint) => verificationText(result, Date.now(), paint))
          return result.valid ? EXIT.ok : EXIT.negative
        }
      )
    )
}
