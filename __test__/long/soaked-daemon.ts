/** A daemon without rate limits, which collects and says what its heap holds whenever its parent asks. */
import { parseArgs } from 'node:util'
import { startDaemon } from '../../src/daemon/daemon.ts'

const { values } = parseArgs({ options: { 'data-dir': { type: 'string', default: '' } } })
const UNLIMITED = { perSecond: 1e9, burst: 1e9 }

const daemon = await startDaemon(
  {
    file: {},
    environment: {},
    flags: {
      network: 'local',
      data_dir: values['data-dir'],
      api: { port: 0 },
      dns: { listen: ['127.0.0.1:0'] },
      log: { level: 'error' },
      p2p: { mdns: false, listen: ['/ip4/127.0.0.1/tcp/0'] }
    }
  },
  { limits: { anonymous: UNLIMITED, known: UNLIMITED, failedLogins: UNLIMITED } }
)

/** What finalizers free is gone after the second collection. */
async function heldBytes(): Promise<number> {
  for (let round = 0; round < 2; round++) {
    globalThis.gc!()
    await new Promise((resolve) => setImmediate(resolve))
  }
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

process.on('message', () => void heldBytes().then((bytes) => process.send!(bytes)))
process.once('disconnect', () => void daemon.stop().then(() => process.exit(0)))
process.send!({ url: daemon.apiUrl, tokenFile: daemon.tokenFile })
