/** Names as people type them: any case, a closing dot, without the suffix of the network, in Unicode. */
import type { Command } from 'commander'
import { spellName, type TypedName, TypedNameError } from '../../util/typed-name.ts'
import { ProblemError } from '../../api/client/client.ts'
import { connect } from '../connection/connect.ts'
import { Context, type GlobalOptions, type Run } from '../context.ts'
import { Failure, usageFailure } from '../failures/failure.ts'
import { loadProfile } from '../connection/location.ts'
import { shellWord } from '../../util/shell-commands.ts'
import { printable } from '../terminal/format.ts'

/** Arguments and options of commands that are names of the network. DIDs in their place stay as they are. */
const NAMED = new Set(['name', 'names'])

/** Spells the names on a command line before its command runs. Throws CLI-USE-001 for what can't be one. */
export async function spellNames(run: Run, command: Command): Promise<void> {
  const context = new Context(run, command.optsWithGlobals<GlobalOptions>())
  const suffix = (): Promise<string> => suffixOf(context, command)
  const spelt = async (given: unknown): Promise<unknown> => {
    if (Array.isArray(given)) return Promise.all(given.map(spelt))
    return typeof given === 'string' ? spellOne(context, given, suffix) : given
  }
  for (const [index, argument] of command.registeredArguments.entries())
    if (NAMED.has(argument.name())) command.processedArgs[index] = await spelt(command.processedArgs[index])
  if (command.options.some((option) => option.attributeName() === 'name'))
    command.setOptionValue('name', await spelt(command.getOptionValue('name')))
}

/** One name, with the suffix of the network where it has none; a DID stays as it is. Throws CLI-USE-001. */
export async function spellOne(context: Context, text: string, suffix: () => Promise<string>): Promise<string> {
  if (text.startsWith('did:')) return text
  if (text.trim() === '') throw usageFailure('a name is empty', 'Give one. Is a variable of the shell unset?')
  const { name, unicode } = spellOrFail(text)
  const below = name.includes('.') ? '' : `.${await suffix()}`
  // Who types ASCII and means it needs no word about it.
  if (unicode !== undefined || /[^\0-\x7f]/u.test(text))
    context.output.note(`• ${printable(unicode ?? text)}${unicode === undefined ? '' : below} is ${name}${below}`)
  return `${name}${below}`
}

function spellOrFail(text: string): TypedName {
  try {
    return spellName(text)
  } catch (error) {
    if (!(error instanceof TypedNameError)) throw error
    throw usageFailure(
      `"${text}" can't be a name: ${error.message}`,
      'Check the spelling. A name that somebody holds all the same is looked up by its form in ASCII, xn--...'
    )
  }
}

/** The suffix of the network that --network names, else of the daemon's network. */
async function suffixOf(context: Context, command: Command): Promise<string> {
  if (command.options.some(({ long }) => long === '--network'))
    return loadProfile(context, command.getOptionValue('network') as string | undefined).tld
  return daemonSuffix(context)
}

/** The suffix of the daemon's network. */
export async function daemonSuffix(context: Context): Promise<string> {
  const { zone } = await connect(context, { anonymous: true }).dns()
  return zone.replace(/\.$/u, '')
}

export interface CodeOption {
  readonly code?: string
}

/** The option of commands that look a name up. */
export const CODE_OPTION = ['--code <code>', 'its check code, for a name that is too long to carry it'] as const

/** As the client takes it. A DID has no code. Throws CLI-USE-001. */
export function askedName(name: string, code: string | undefined): string {
  if (code === undefined) return name
  if (name.startsWith('did:')) throw usageFailure('--code is for names, and this is a DID', 'Leave --code out.')
  return `${name} ${code.trim()}`
}

/** What a DID that the daemon refuses or does not find needs; the table of codes speaks of requests and names. */
const CURES: Readonly<Record<string, string>> = {
  'SVC-REQ-001':
    'Give the whole DID as `chronym kid create` printed it, of the network of this daemon (`chronym status`).',
  'SVC-RES-002':
    'Check the DID, and that this daemon is in its network. Its owner publishes it with `chronym kid ' +
    'publish FILE`; one without a name lapses when its daemon stops.'
}

/** Throws CLI-USE-001 unless `text` is a DID. */
export function requireDid(text: string): string {
  if (text.startsWith('did:')) return text
  throw usageFailure(
    `"${text}" is not a DID`,
    'A DID begins with did:. `chronym kid list` shows those of this daemon, each with its name. The record of a name: ' +
      `\`chronym resolve -- ${shellWord(text)}\`.`
  )
}

/** The daemon's answer about a DID; a failure gets the cure that fits DIDs. */
export async function aboutDid<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer
  } catch (error) {
    const cure = error instanceof ProblemError ? CURES[error.code] : undefined
    if (cure === undefined) throw error
    const { toFailure } = await import('../failures/to-failure.ts')
    const { code, message, exitCode, status, requestId } = toFailure(error)
    // There is one field, which the message names.
    throw new Failure(code, message, { exitCode, cure, status, requestId, cause: error })
  }
}
