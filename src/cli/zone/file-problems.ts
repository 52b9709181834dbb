import type { FieldError } from '../../errors.ts'
import type { FileProblem, ParsedFile } from '../zone-file/parse.ts'

/**
 * What the daemon has against records, by the lines of the file that they come from; line 1 for what concerns the
 * whole.
 */
export function problemsInFile(errors: readonly FieldError[], { lines }: ParsedFile): FileProblem[] {
  return errors.map(({ path, message }) => {
    const [, label = '', index = '0'] = path.split('/')
    return { line: lines[label]?.[Number(index)] ?? lines[label]?.[0] ?? 1, message }
  })
}
