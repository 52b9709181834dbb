import { formatCodedName, SHORT_CODE, WHOLE_CODE } from '../../../protocol/claim/check-code.ts'
import { MAX_LABEL_OCTETS, type Name } from '../../../protocol/name/names.ts'
import { isStillOurs } from '../../../views/own.ts'
import { bothForms } from '../../../util/typed-name.ts'
import { connect } from '../../connection/connect.ts'
import type { Context, CliCommand } from '../../context.ts'
import { integerOption } from '../../input/values.ts'
import { formatFields, printable } from '../../terminal/format.ts'
import { qrText } from '../../terminal/qr.ts'

interface Shared {
  readonly name: string
  /** Null where DNS has no room for it. */
  readonly coded_name: string | null
  /** Whole. */
  readonly check_code: string
  readonly link: string | null
}

function sharedOf(name: string, checkCode: string, characters: number): Shared {
  const coded = formatCodedName(name as Name, checkCode.slice(0, characters)) ?? null
  return { name, coded_name: coded, check_code: checkCode, link: coded && `http://${coded}/` }
}

async function sharedText(shared: Shared, characters: number, { output }: Context): Promise<string> {
  const { name, coded_name: coded, check_code: whole, link } = shared
  if (coded === null || link === null)
    return [
      formatFields([
        ['name', printable(bothForms(name))],
        ['check code', printable(whole.slice(0, characters))]
      ]),
      '',
      `With this code the label has more than the ${MAX_LABEL_OCTETS} octets of DNS: give name and code apart.`
    ].join('\n')
  const fields = formatFields([
    ['coded name', printable(bothForms(coded))],
    ['link', printable(link)]
  ])
  if (!output.unicode || !output.isTerminal) return fields
  return `${fields}\n\n${(await qrText(link, output)) ?? 'The terminal is too narrow for the QR code.'}`
}

export function addShareCommand(program: CliCommand): void {
  program
    .command('share')
    .argument('<name>', 'a name of this daemon, or any name that resolves')
    .description('print a name with its check code, as a link and as a QR code, to give to others')
    .option(
      '--characters <n>',
      `of the check code, ${SHORT_CODE} to ${WHOLE_CODE}`,
      integerOption(SHORT_CODE, WHOLE_CODE),
      SHORT_CODE
    )
    .runs(async (context, { characters }: { characters: number }, name: string) => {
      const client = connect(context)
      // What its key has lost, or let lapse, is for the network to show.
      const own = (await client.names()).find(({ name: each, state }) => each === name && isStillOurs(state))
      const reveal = own ?? (await client.resolve(name))
      const shared = sharedOf(reveal.name, reveal.check_code!, characters)
      const text = context.output.json ? '' : await sharedText(shared, characters, context)
      context.output.answer(shared, () => text)
      if (own === undefined && reveal.name === name)
        context.output.note(
          `• ${printable(name)} is not of this daemon: the code is what the network shows now, not what its owner ` +
            'gave you'
        )
    })
}
