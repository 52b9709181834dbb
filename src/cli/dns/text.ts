/** What the commands of DNS print. Pure. */
import { type ConfigFile, hostPort, type Route } from './route.ts'
import type { Plan, System } from './setup/systems.ts'
import type { FileState, Ran } from './setup/apply.ts'
import type { Found } from './setup/choose.ts'
import type { Verdict } from './probe/steps.ts'
import { findingLine } from '../self-check/findings.ts'
import type { DnsView } from '../../views/dns.ts'
import { count as formatCount } from '../../util/words.ts'
import { formatFields } from '../terminal/format.ts'
import type { Paint } from '../terminal/output.ts'

/** Files one after the other, each below a comment with its path: one file alone can be saved as it is. */
export function filesText(files: readonly ConfigFile[]): string {
  return files
    .map(({ path, comment, body }) => `${comment} ${path}\n${body}`)
    .join('\n')
    .trimEnd()
}

const counts = (of: Readonly<Record<string, number>>): string =>
  Object.entries(of)
    .filter(([, count]) => count > 0)
    .map(([what, count]) => `${what} ${formatCount(count)}`)
    .join(', ') || 'none'

export function statsText(stats: NonNullable<DnsView['stats']>): string {
  return formatFields([
    ['names', formatCount(stats.names)],
    ['cache', `${formatCount(stats.cache_bytes)} bytes`],
    ['queries', counts(stats.queries)],
    ['answers', counts(stats.answers)],
    ['look-ups', counts(stats.cache)],
    ['waiting', formatCount(stats.waiting)],
    ['connections', formatCount(stats.connections)]
  ])
}

export function verdictText({ reaches, authenticated, steps }: Verdict, { tld }: Route, paint: Paint): string {
  const summary = reaches
    ? `This machine resolves .${tld} through the daemon, ${authenticated ? 'with' : 'without'} the AD bit.`
    : `This machine does not resolve .${tld} through the daemon.`
  return [...steps.map((step) => findingLine(step, paint)), '', summary].join('\n')
}

const STATES: Readonly<Record<FileState, string>> = {
  absent: 'new',
  same: 'written already',
  outdated: 'replaces what this command wrote',
  changed: 'changed since this command wrote it: it stays as it is',
  foreign: 'of somebody else: it stays as it is'
}

export function planText(
  route: Route,
  found: readonly Found[],
  system: System,
  plan: Plan,
  stateOf: (file: ConfigFile) => FileState
): string {
  const list = found.map(
    ({ system: { id }, because, isAsked }) => `${id} (${because}${isAsked ? '; programs ask it' : ''})`
  )
  const { obstacle } = plan
  return [
    formatFields([
      ['found', list.join(', ') || 'nothing'],
      ['sets up', system.id],
      ['asks', `${route.servers.map(hostPort).join(', ')} for .${route.tld} alone`]
    ]),
    ...plan.files.map(
      (file) =>
        `\n${file.path} (${STATES[stateOf(file)]})\n` +
        file.body
          .trimEnd()
          .split('\n')
          .map((line) => (line === '' ? '' : `  ${line}`))
          .join('\n')
    ),
    ...[...(plan.check === undefined ? [] : [plan.check]), ...plan.commands].map(
      (command, index) => `${index === 0 ? '\n' : ''}runs  ${command.join(' ')}`
    ),
    ...plan.remarks.map((remark, index) => `${index === 0 ? '\n' : ''}note  ${remark}`),
    ...(obstacle === undefined ? [] : [`\nbut   ${obstacle.detail}\n      ${obstacle.cure}`])
  ].join('\n')
}

export function doneText(verb: 'wrote' | 'removed', paths: readonly string[], commands: readonly Ran[]): string {
  return [
    ...paths.map((path) => `${verb} ${path}`),
    ...commands.map(({ command, code }) => `${code === null ? 'not run here' : 'ran'}: ${command.join(' ')}`)
  ].join('\n')
}
