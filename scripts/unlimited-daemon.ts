/** A daemon without rate limits, for load generators and floods of tests. Its output is that of src/daemon/main.ts. */
import { parseArgs } from 'node:util'
import { startDaemon } from '../src/daemon/daemon.ts'

const UNLIMITED = { perSecond: 1e9, burst: 1e9 }

const option = { type: 'string' } as const
const { values } = parseArgs({
  options: {
    network: { ...option, default: 'local' },
    'data-dir': { ...option, default: '' },
    beacon: option,
    bootstrap: option
  }
})

const flags = {
  network: values.network,
  data_dir: values['data-dir'],
  api: { port: 0 },
  log: { level: 'error' as const },
  p2p: {
    mdns: false,
    listen: ['/ip4/127.0.0.1/tcp/0'],
    ...(values.bootstrap !== undefined && { bootstrap: [values.bootstrap] })
  },
  ...(values.beacon !== undefined && { beacon: { urls: [values.beacon] } })
}
const limits = { anonymous: UNLIMITED, known: UNLIMITED, failedLogins: UNLIMITED }
const daemon = await startDaemon({ file: {}, environment: {}, flags }, { limits })
process.once('SIGTERM', () => void daemon.stop().then(() => process.exit(0)))
process.stdout.write(`${JSON.stringify(daemon.summary())}\n`)
