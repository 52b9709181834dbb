import { masked } from '../../util/masked.ts'
import { type Failure, titleOf } from '../failures/failure.ts'
import { printable } from './format.ts'
import type { Output } from './output.ts'

/** A failure as `--json` shows it on stderr. */
function failureToJson(failure: Failure, commands: (text: string) => string = (text) => text): Record<string, unknown> {
  return {
    error: {
      code: failure.code,
      detail: commands(failure.message),
      ...(failure.cure === undefined ? {} : { cure: commands(failure.cure) }),
      ...(failure.status === undefined ? {} : { status: failure.status }),
      ...(failure.errors.length === 0 ? {} : { errors: failure.errors }),
      ...(failure.requestId === undefined ? {} : { request_id: failure.requestId }),
      exit_code: failure.exitCode
    }
  }
}

/** A field path of the daemon as people speak of it: `records/www/0/value` is "www, record 1, value". */
export function describePath(path: string): string {
  const parts = path.split('/').filter((part) => part !== '')
  if (parts[0] !== 'records' || parts.length < 2) return parts.join('.')
  const [, label, index, ...rest] = parts
  const record = index === undefined ? [] : [/^\d+$/u.test(index) ? `record ${Number(index) + 1}` : index]
  return [label, ...record, ...rest].join(', ')
}

/** The first line without what the lines of its fields say again: the title of its code, and where the fields stand. */
function headline({ code, message, errors }: Failure): string {
  const rest = errors.reduce((text, field) => text.replace(`${field.path}: ${field.message}`, ''), message)
  const title = titleOf(code)
  if (rest === message || title === undefined) return message
  const where = rest.replace(/(?<![\s:;])[\s:;]+$/u, '')
  return where === '' ? title : `${title} (${where})`
}

/** Prints a failure on stderr: code, detail, the fields at fault, cure. */
export function reportFailure(output: Output, failure: Failure): void {
  const say = (text: string): void => output.error(masked(text))
  if (output.json) {
    say(printable(JSON.stringify(failureToJson(failure, (text) => output.commands(text)))))
    return
  }
  const paint = output.paintError
  say(`${paint('red', 'error')} ${paint('bold', failure.code)}: ${printable(headline(failure))}`)
  // The first line has said it already.
  for (const { path, message } of failure.errors.filter((each) => each.message !== failure.message))
    say(`  ${path === '' ? '' : `${paint('yellow', printable(describePath(path)))}: `}${printable(message)}`)
  if (failure.cure !== undefined) say(`  ${paint('dim', 'cure:')} ${printable(failure.cure)}`)
  if (failure.requestId !== undefined && failure.status !== undefined && failure.status >= 500) {
    say(`  ${paint('dim', 'request id:')} ${printable(failure.requestId)}`)
  }
}
