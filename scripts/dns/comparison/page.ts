/** docs/dns-comparison.md, from what both servers said. */
import { difference, isSame, type Compared, type Lines } from './compare.ts'
import type { Explained } from './explained.ts'

/** Columns of the page; what is longer is cut. */
const WIDTH = 116

/** Titles of kinds that differ without a reason, and of reasons without a difference. */
export function unexplained(compared: readonly Compared[], explained: readonly Explained[]) {
  const differing = new Set(compared.filter((each) => !isSame(each)).map(({ title }) => title))
  const listed = new Set(explained.flatMap(({ kinds }) => kinds))
  return { withoutReason: [...differing.difference(listed)], vanished: [...listed.difference(differing)] }
}

export function page(compared: readonly Compared[], explained: readonly Explained[]): string {
  const alike = compared.filter(isSame)
  const byTitle = new Map(compared.map((each) => [each.title, each]))
  return `# Our DNS server beside Knot

Made by \`npm run compare:dns -- --write\`; \`__test__/dns/knot.test.ts\` checks it. Knot DNS has one zone as a master
file (\`scripts/dns/comparison/zone.ts\`) and signs online with our key. Our server gets the records that Knot transfers.
Both receive the same ${compared.length} packets over real sockets.

Compared are response code, flags, question, OPT and every record of each section. TTLs count as equal within a minute.
Of signatures all but time and bytes is compared: validators check those (\`__test__/e2e/dns-validation.test.ts\`).

- Alike: ${alike.length}.
- Different, each with its reason: ${compared.length - alike.length}.

## Different
${explained.map((each) => explanation(each, byTitle)).join('\n')}
## Alike
| query | reply |
|---|---|
${alike.map(({ title, ours }) => `| ${title.replaceAll('*', '\\*')} | ${summary(ours)} |`).join('\n')}
`
}

function explanation({ heading, reason, kinds }: Explained, byTitle: ReadonlyMap<string, Compared>): string {
  const shown = kinds.map((title) => {
    const each = byTitle.get(title)
    const lines = each === undefined ? ['- gone'] : difference(each)
    return [title, ...lines.map((line) => (line.length > WIDTH ? `${line.slice(0, WIDTH - 3)}...` : line))].join('\n')
  })
  return `### ${heading}
${reason} \`-\` is Knot's, \`+\` ours.
\`\`\`
${shown.join('\n\n')}
\`\`\`
`
}

/** `NOERROR aa; answer 2 A, RRSIG`. */
function summary([head, , ...lines]: Lines): string {
  const sections = ['answer', 'authority', 'additional'].flatMap((section) => {
    const types = lines.flatMap((line) =>
      line.startsWith(`${section}: `) ? [/^\S+ \S+ \d+ (\S+)/.exec(line)![1]!] : []
    )
    return types.length === 0 ? [] : [`${section} ${[...new Set(types)].join(', ')}`]
  })
  return [head, ...sections].join('; ')
}
