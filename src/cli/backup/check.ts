import { statSync } from 'node:fs'
import type { Context } from '../context.ts'
import { EXIT, type ExitCode } from '../failures/failure.ts'
import { formatRelative, printable } from '../terminal/format.ts'
import { contentsText } from './create.ts'
import { type OpeningOptions, openBackup, summaryLines, verified } from './open.ts'

/** `chronym backup check FILE`: all that a restore verifies, and nothing is written. */
export async function runBackupCheck(context: Context, options: OpeningOptions, file: string): Promise<ExitCode> {
  const { contents, mute } = await openBackup(context, options, file)
  const summary = await verified(contents)
  const nowMs = Date.now()
  const made = new Date(contents.createdMs).toISOString()
  context.output.answer(
    {
      file,
      bytes: statSync(file).size,
      complete: true,
      created_at: made,
      age_seconds: Math.round((nowMs - contents.createdMs) / 1000),
      program: contents.program,
      network: contents.profile.id,
      ...summary,
      left_out_manifests: mute
    },
    (paint) =>
      [
        `${paint('green', 'complete')}: ${file} opens, and a restore takes all of it`,
        `made ${formatRelative(made, nowMs)} (${made}), for network ${printable(contents.profile.id)}`,
        contentsText(summary),
        ...summaryLines(summary),
        ...mute.map(
          (did) => `  ${printable(did)}  a restore leaves its manifest out: the identity has other keys since`
        )
      ].join('\n')
  )
  const { names, identities, drafts } = summary
  return names.length + identities.length + drafts.length > 0 ? EXIT.ok : EXIT.empty
}
