/** The checks of `chronym self-check`, for after an installation or upgrade. None of them changes anything. */
import type { Context } from '../context.ts'
import type { Finding } from '../findings.ts'
import { VERSION } from '../../version.ts'
import { checkComputing } from './compute.ts'
import { checkDaemon } from './daemon.ts'
import { checkConfig, checkDirectory } from './directory.ts'
import { checkFiles } from './files.ts'

export async function selfCheck(context: Context): Promise<Finding[]> {
  return [
    // Always ok: main.ts starts no command on a Node that is too old.
    { name: 'node', state: 'ok', detail: `Node ${process.versions.node}, chronym ${VERSION}` },
    checkFiles(),
    ...(await checkComputing()),
    checkConfig(context),
    await checkDirectory(context),
    ...(await checkDaemon(context))
  ]
}
