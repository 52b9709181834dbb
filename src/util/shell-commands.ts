/** Commands of `chronym` in messages, as they can be copied into a shell. Pure. */

/** All that talk to a daemon or read its directory, as `chronym --help` has them. */
export const MEANT_FOR_A_DAEMON =
  'adopt backup cancel config daemon dashboard dns doctor estimate explain farm https id key kid lock manifest names network ' +
  'pause peers pins register release renew resolve restore resume self-check share status tasks token transfer unlock zone'

/** These read and write the directory itself, and take no address. */
const LOCAL = /^(?:backup|daemon|https setup|key(?! (?:change-words|rotate|recover)\b)|restore|self-check)\b/u

/**
 * A command, and not a word of the sentence: it begins the text, or follows a quote, a bracket or a colon. One that
 * names its directory is complete.
 */
const COMMAND = new RegExp(
  '(?<=^|[`(]|[:;] |\\n *)chronym ' +
    `(?<command>(?:${MEANT_FOR_A_DAEMON.replaceAll(' ', '|')})\\b(?![\\w-])(?![^\`\\n]*--(?:data-dir|api) ))`,
  'gu'
)

/** A text as one word of the shell of this machine. */
export function shellWord(text: string): string {
  const isWindows = process.platform === 'win32'
  if (/^[\w@%+=:,./-]+$/u.test(text) || (isWindows && /^[\w@%+=:,./\\-]+$/u.test(text))) return text
  return isWindows ? `"${text}"` : `'${text.replaceAll("'", String.raw`'\''`)}'`
}

/** Which daemon a command is for, where that is not the one that a bare command finds. */
export interface MeantDaemon {
  readonly dataDir?: string | undefined
  readonly api?: string | undefined
}

/** The text with the options that each of its commands needs to reach that daemon. */
export function withDaemon(text: string, { dataDir, api }: MeantDaemon): string {
  const directory = dataDir === undefined ? '' : `--data-dir ${shellWord(dataDir)} `
  const address = api === undefined ? '' : `--api ${shellWord(api)} `
  if (directory + address === '') return text
  return text.replace(COMMAND, (match, command: string, offset: number) => {
    const isLocal = LOCAL.test(text.slice(offset + match.length - command.length))
    return `chronym ${directory}${isLocal ? '' : address}${command}`
  })
}
