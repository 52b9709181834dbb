/** lab/reports/dns.md, from what both servers said. */
import { difference, isSame, type Compared, type Lines } from './compare.ts'
import type { Reason } from './explained.ts'

/** Columns of the page; what is longer is cut. */
const WIDTH = 116

/** Kinds with a line in their difference that no reason explains, and reasons that explain no line any more. */
export function unexplained(compared: readonly Compared[], reasons: readonly Reason[]) {
  const without = compared.flatMap((each) => {
    const lines = difference(each).filter((line) => !reasons.some((reason) => explains(reason, each.title, line)))
    return lines.length > 0 ? [`${each.title}\n${lines.join('\n')}`] : []
  })
  const isUsed = (reason: Reason): boolean =>
    compared.some((each) => difference(each).some((line) => explains(reason, each.title, line)))
  return { withoutReason: without, vanished: reasons.filter((reason) => !isUsed(reason)).map(({ heading }) => heading) }
}

function explains({ kinds, lines }: Reason, title: string, line: string): boolean {
  return (kinds === undefined || kinds.test(title)) && lines.some((pattern) => pattern.test(line))
}

export function page(compared: readonly Compared[], reasons: readonly Reason[]): string {
  const alike = compared.filter(isSame)
  return `# Our DNS server beside Knot

Made by \`npm run lab:dns -- --write\`; \`lab/__test__/dns.test.ts\` checks it. Knot DNS has one zone as a master
file (\`lab/dns/zone.ts\`) and signs online with our key. Our server gets the records that Knot transfers,
and for a name with a check code those that the daemon makes of the zone. Both receive the same ${compared.length} packets over real sockets.

Compared are response code, flags, question, OPT and every record of each section. TTLs count as equal within a minute.
Signatures are compared except for their time and bytes, which validators check (\`__test__/e2e/dns-validation.test.ts\`).

- Alike: ${alike.length}.
- Different, each with its reason: ${compared.length - alike.length}.

\`-\` is Knot's, \`+\` ours.

## Different
${reasons.map((each) => explanation(each, compared)).join('\n')}
## Alike
| query | reply |
|---|---|
${alike.map(({ title, ours }) => `| ${title.replaceAll('*', '\\*')} | ${summary(ours)} |`).join('\n')}
`
}

function explanation(reason: Reason, compared: readonly Compared[]): string {
  const byDifference = new Map<string, string[]>()
  for (const each of compared) {
    const lines = difference(each).filter((line) => explains(reason, each.title, line))
    if (lines.length === 0) continue
    const shown = lines.map((line) => (line.length > WIDTH ? `${line.slice(0, WIDTH - 3)}...` : line)).join('\n')
    byDifference.set(shown, [...(byDifference.get(shown) ?? []), each.title])
  }
  const groups = [...byDifference].map(([shown, titles]) => `${titles.join('\n')}\n${indented(shown)}`)
  return `### ${reason.heading}
${reason.text}
\`\`\`
${groups.join('\n\n')}
\`\`\`
`
}

const indented = (lines: string): string => lines.replaceAll(/^/gm, '  ')

/** `NOERROR aa; answer 2 A, RRSIG`. */
function summary(lines: Lines): string {
  const head = lines.flatMap((line) => /^(?:rcode|flag): (.*)/.exec(line)?.[1] ?? []).join(' ')
  if (head === '') return lines.join('; ')
  const sections = ['answer', 'authority', 'additional'].flatMap((section) => {
    const types = lines.flatMap((line) => new RegExp(`^${section}: \\S+ \\d+ (\\S+)`).exec(line)?.[1] ?? [])
    return types.length === 0 ? [] : [`${section} ${[...new Set(types)].join(', ')}`]
  })
  return [head, ...sections].join('; ')
}
