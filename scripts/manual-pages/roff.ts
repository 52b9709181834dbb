/** Text and macros of man(7), which man-db, mandoc and groff read. */

/** Text for a line of roff: nothing in it is a request, an escape or a typographic sign. */
export function roffText(text: string): string {
  const escaped = text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll("'", '\\(aq')
    .replaceAll('`', '\\(ga')
    .replaceAll('^', '\\(ha')
    .replaceAll('~', '\\(ti')
    .replaceAll('"', '\\(dq')
    .replaceAll(/[^\p{ASCII}]/gu, (sign) => `\\[u${sign.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}]`)
    .replaceAll(/\s+/g, ' ')
    .trim()
  return escaped.replace(/^\./, '\\&.')
}

export const bold = (text: string): string => `\\fB${roffText(text)}\\fR`
const italic = (text: string): string => `\\fI${roffText(text)}\\fR`

/** A synopsis or a term: what the user types is bold, `<what>` and `[what]` stay as they are, placeholders italic. */
export function syntax(text: string): string {
  return text
    .split(/(<[^>]+>|\[[^\]]+\])/)
    .filter((part) => part !== '')
    .map((part) =>
      part.startsWith('<') ? `<${italic(part.slice(1, -1))}>` : part.startsWith('[') ? roffText(part) : boldWords(part)
    )
    .join('')
}

/** Spaces at both ends stay: they part words from placeholders. */
function boldWords(text: string): string {
  const [, before = '', words = '', after = ''] = /^(\s*)(.*?)(\s*)$/.exec(text) ?? []
  return `${before && ' '}${words === '' ? '' : bold(words)}${after && ' '}`
}

export interface Item {
  /** Roff already. */
  readonly term: string
  /** Plain text. */
  readonly text: string
}

export const items = (list: readonly Item[]): string[] =>
  list.map(({ term, text }) => `.TP\n${term}\n${text === '' ? '\\&' : roffText(text)}`)

interface PageHead {
  readonly name: string
  readonly section: number
  readonly version: string
  /** YYYY-MM-DD. */
  readonly date: string
  readonly title: string
}

/** Sections without lines are left out. */
export function page(
  { name, section, version, date, title }: PageHead,
  sections: readonly { readonly heading: string; readonly lines: readonly string[] }[]
): string {
  const heading = name.toUpperCase().replaceAll('-', '\\-')
  const head = `.TH ${heading} ${section} ${date} "Chronym ${version}" "Chronym Manual"`
  const named = [`.SH NAME`, `${roffText(name)} \\- ${roffText(title)}`]
  const rest = sections
    .filter(({ lines }) => lines.length > 0)
    .flatMap(({ heading, lines }) => [`.SH ${heading}`, ...lines])
  return `${[head, '.\\" Made from the command tree; do not edit.', ...named, ...rest].join('\n')}\n`
}
