import { existsSync } from 'node:fs'
import { bothForms } from '../../../util/typed-name.ts'
import { plural } from '../../../util/words.ts'
import { MOST_CODES } from '../../../api/schemas/names.ts'
import { pathFromHere } from '../../../util/user-paths.ts'
import type { FollowedListsView, PinnedCodesView, PinView } from '../../../views/pin.ts'
import { connect } from '../../connection/connect.ts'
import type { Context, CliCommand } from '../../context.ts'
import { inputFailure } from '../../failures/failure.ts'
import { nameOfInput, readLines } from '../../input/files.ts'
import { daemonSuffix, spellOne } from '../../input/names.ts'
import { formatRelative, formatTable, printable } from '../../terminal/format.ts'

const WORDS: Readonly<Partial<Record<PinView['state'], string>>> = {
  given: 'given by you',
  configured: 'given by pins.codes'
}

function pinRow(pin: PinView, nowMs: number): string[] {
  const { name, owner, check_code: code, state, since, second_look: secondLook, firm_since: firmSince, until } = pin
  const { rival } = pin
  if (owner === null || since === null || until === null) {
    const given = since === null ? '' : formatRelative(since, nowMs)
    return [printable(bothForms(name)), printable(code), '', WORDS[state] ?? state, given, '', '']
  }
  return [
    printable(bothForms(name)),
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

function pinsText(pins: readonly PinView[], nowMs: number): string {
  if (pins.length === 0) return 'no pins: this daemon has seen no name settled, and no code was given'
  return formatTable([
    ['name', 'check code', 'owner', 'state', 'since', 'second look', 'until'],
    ...pins.map((pin) => pinRow(pin, nowMs))
  ])
}

/** The codes of an import; `#` begins a comment. Names are completed and spelt as on the command line. */
async function codesIn(context: Context, file: string): Promise<string[]> {
  const codes: string[] = []
  for await (const line of readLines(file, context.stdin)) {
    const [name = '', ...code] = line.replace(/#.*/, '').trim().split(/\s+/)
    if (name !== '') codes.push([await spellOne(context, name, () => daemonSuffix(context)), ...code].join(' '))
  }
  if (codes.length > 0) return codes
  throw inputFailure(
    `${nameOfInput(file)} has no names`,
    'Write one name with its code a line, such as alice--7kq2mx.chronym. `chronym pins export` writes such a file.'
  )
}

/** All are tried before any is pinned; the daemon takes a thousand at once. */
async function pinAll(context: Context, codes: readonly string[], isDry: boolean): Promise<PinnedCodesView> {
  const client = connect(context)
  const pages = Array.from({ length: Math.ceil(codes.length / MOST_CODES) }, (_, page) =>
    codes.slice(page * MOST_CODES, (page + 1) * MOST_CODES)
  )
  let found: PinnedCodesView[] = []
  for (const dry of isDry ? [true] : [true, false]) {
    found = []
    for (const page of pages) found.push(await client.pinCodes(page, dry))
  }
  return { pinned: found.flatMap(({ pinned }) => pinned), known: found.reduce((sum, { known }) => sum + known, 0) }
}

function pinnedText({ pinned, known }: PinnedCodesView, isDry: boolean): string {
  return `${plural(pinned.length, 'name')} ${isDry ? 'would be' : pinned.length === 1 ? 'is' : 'are'} pinned by code, ${known} had that code before`
}

/** A path is the daemon's own only as an absolute one. */
function sourceOf(text: string): string {
  return /^https?:/i.test(text) || !existsSync(pathFromHere(text)) ? text : pathFromHere(text)
}

function listsText({ agree, lists }: FollowedListsView, nowMs: number): string {
  if (lists.length === 0) return 'no lists: this daemon follows no published pins'
  const lines = lists.flatMap(({ rolled_back_to: rolledBack, ...list }) => [
    printable(list.source),
    `  ${plural(list.entries, 'name')}, made ${formatRelative(list.made_at, nowMs)}, fetched ${formatRelative(list.fetched_at, nowMs)}`,
    `  key ${printable(list.key)}`,
    ...(list.failure === null ? [] : [`  not fetched since: ${printable(list.failure)}`]),
    ...(rolledBack === null ? [] : [`  ROLLED BACK: it now shows a list made ${rolledBack}; the newer one holds`]),
    ...(list.equivocation === null
      ? []
      : [`  EQUIVOCATES: two lists made ${list.made_at} differ; the key counts no longer`]),
    ...(list.equivocation ?? []).map(
      ({ name, codes }) => `    ${printable(name)}: ${codes.map((code) => printable(code ?? 'none')).join(' and ')}`
    )
  ])
  return [...lines, `a bare name is pinned where ${plural(agree, 'publisher')} agree and none differs`].join('\n')
}

function addListCommands(pins: CliCommand): void {
  const show = (context: Context, lists: FollowedListsView): void =>
    context.output.answer(lists, () => listsText(lists, Date.now()))

  pins
    .command('lists')
    .description('the lists of published pins that this daemon follows, and how fresh they are')
    .runs(async (context) => show(context, await connect(context).pinLists()))

  pins
    .command('follow')
    .argument('<source>', 'an https address, a file, or a name with its check code whose _pins has the address')
    .description('take bare names for what published lists agree on; where they differ, names are contested')
    .option('--key <key>', 'the key that must have signed the list (default: that of the first list)')
    .option('--agree <number>', 'how many publishers must agree, of all lists (default: more than half)')
    .runs(async (context, { key, agree }: { key?: string; agree?: string }, source: string) => {
      const options = { ...(key !== undefined && { key }), ...(agree !== undefined && { agree: Number(agree) }) }
      show(context, await connect(context).followPinList({ source: sourceOf(source), ...options }))
    })

  pins
    .command('unfollow')
    .argument('<source>', 'as `pins lists` shows it')
    .description('follow a list no longer')
    .runs(async (context, _options: unknown, source: string) =>
      show(context, await connect(context).followPinList({ source: sourceOf(source), follow: false }))
    )

  pins
    .command('publish')
    .argument('<file>', 'where the list goes, for a web server; the next one takes its place')
    .description('sign a list of the firm pins and given codes of this daemon, for others to follow')
    .requiredOption('--key <file>', 'the secret key of the list; made where there is none')
    .option('--network <network>', "local, test, main or a profile file (default: the configuration's)")
    .option('--passphrase', 'encrypt a new key under a passphrase, which is asked for')
    .option('--passphrase-file <file>', 'passphrase of the key (default: asked for)')
    .loads(async () => (await import('../../pins/publish.ts')).runPublish)
}

export function addPinCommands(program: CliCommand): void {
  const pins = program.command('pins').description('the claims that names mean to this daemon').helpCommand(false)

  pins
    .command('list', { isDefault: true })
    .description(
      'list them: a claim seen once is tentative and binds nothing; one seen twice is firm; a given code is final'
    )
    .runs(async (context) => {
      const all = await connect(context).pins()
      context.output.answer(all, () => pinsText(all, Date.now()))
    })

  pins
    .command('add')
    .argument('<name>', 'a name with its check code, such as alice--7kq2mx')
    .argument('[code]', 'the code apart, for a name that is too long to carry it')
    .description('pin a name by its check code: the bare name means that claim alone from now on')
    .runs(async (context, _options: unknown, name: string, code?: string) => {
      const answer = await pinAll(context, [code === undefined ? name : `${name} ${code}`], false)
      context.output.answer(answer, () => pinnedText(answer, false))
    })

  pins
    .command('import')
    .argument('<file>', 'one name with its code a line; "-": standard input')
    .description('pin all names of a file by their check codes, or none where one contradicts what is pinned')
    .option('--dry-run', 'only say what would come of it', false)
    .runs(async (context, { dryRun }: { dryRun: boolean }, file: string) => {
      const answer = await pinAll(context, await codesIn(context, file), dryRun)
      context.output.answer(answer, () => pinnedText(answer, dryRun))
    })

  pins
    .command('export')
    .description('print firm pins and given codes, a line each, for `pins import` or pins.codes of another machine')
    .runs(async (context) => {
      const lasting = (await connect(context).pins()).filter(({ state }) => state !== 'tentative')
      const lines = lasting.map(({ name, coded_name: coded, check_code: code }) => coded ?? `${name} ${code}`)
      context.output.plain(lines, lines.map(printable).join('\n'))
    })

  pins
    .command('forget')
    .argument('<name>')
    .description('forget the owner of a name: the next look-up alone decides who it is')
    .runs(async (context, _options: unknown, name: string) => {
      const answer = await connect(context).forgetPin(name)
      context.output.answer(answer, () => `the owner of ${printable(name)} is forgotten; the next look decides`)
    })

  addListCommands(pins)
}
