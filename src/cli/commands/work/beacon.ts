import * as v from 'valibot'
import { faultOf } from '../../../protocol/encoding/issue.ts'
import type { BeaconServer } from '../../../beacon/server.ts'
import type { BeaconChain, Pulse } from '../../../beacon/types.ts'
import type { Context, CliCommand } from '../../context.ts'
import { EXIT, Failure, inputFailure } from '../../failures/failure.ts'
import { readJson } from '../../input/files.ts'
import { integerOption } from '../../input/values.ts'
import { loadProfile } from '../../connection/location.ts'
import { untilInterrupted } from '../../failures/interruption.ts'

interface BeaconOptions {
  host: string
  port: number
  network?: string
  relay?: string
}

/** Beside the daemon's 7468 and 7469. */
const BEACON_PORT = 7470
const MAX_PORT = 65_535

const Hex = v.pipe(v.string(), v.regex(/^(?:[0-9a-f]{2})+$/u, 'hexadecimal is expected'))
const Count = v.pipe(v.number(), v.safeInteger(), v.minValue(1))

/** Recorded pulses with their chain, as __test__/vectors/quicknet-pulses.json has them. */
const Recording = v.object({
  chain_hash: Hex,
  public_key: Hex,
  scheme: v.literal('bls-unchained-g1-rfc9380'),
  period: Count,
  genesis_time: Count,
  pulses: v.array(v.object({ round: Count, signature: Hex }))
})

async function readRecording(context: Context, file: string): Promise<{ chain: BeaconChain; pulses: Pulse[] }> {
  const result = v.safeParse(Recording, await readJson(file, context.stdin))
  if (!result.success) throw inputFailure(`${file} holds no recorded pulses: ${faultOf(result.issues)}`)
  const { pulses, genesis_time: genesis, ...chain } = result.output
  return {
    chain: { ...chain, genesis },
    pulses: pulses.map(({ round, signature }) => ({ round, signature: new Uint8Array(Buffer.from(signature, 'hex')) }))
  }
}

interface Started {
  chain: BeaconChain
  mode: 'dev' | 'relay'
  server: BeaconServer
}

async function start(context: Context, { host, port, network, relay }: BeaconOptions): Promise<Started> {
  if (relay !== undefined) {
    const { chain, pulses } = await readRecording(context, relay)
    const { startRelay } = await import('../../../beacon/server.ts')
    return { chain, mode: 'relay', server: await startRelay({ host, port, chain, pulses }) }
  }
  const chain = loadProfile(context, network).beacon
  const { startDevBeacon } = await import('../../../beacon/dev-beacon.ts')
  return { chain, mode: 'dev', server: await startDevBeacon({ host, port, profileBeacon: chain }) }
}

async function serve(context: Context, options: BeaconOptions): Promise<void> {
  let started: Started
  try {
    started = await start(context, options)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    throw new Failure('CLI-USE-001', `port ${options.port} of ${options.host} is taken`, {
      exitCode: EXIT.usage,
      cure: 'Name another with --port; 0 takes a free one.',
      cause: error
    })
  }
  const { chain, mode, server } = started
  context.output.answer(
    { event: 'listening', url: server.url, mode, chain_hash: chain.chain_hash, period: chain.period },
    () =>
      [
        `${mode === 'dev' ? 'development beacon (its key is public: no security)' : 'relay of recorded pulses'} ` +
          `at ${server.url}`,
        `a pulse every ${chain.period} s, chain ${chain.chain_hash}`,
        `use it: chronym daemon --beacon-url ${server.url}   Ctrl-C stops it.`
      ].join('\n')
  )
  await untilInterrupted(context.signal)
  await server.close()
}

export function addBeaconCommand(program: CliCommand): void {
  program
    .command('beacon')
    .description("serve the development beacon, or a recording of another, over drand's HTTP API")
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--port <port>', 'port to listen on; 0 takes a free one', integerOption(0, MAX_PORT), BEACON_PORT)
    .option('--network <network>', 'network whose beacon it is: local, test or a profile file')
    .option('--relay <file>', 'serve the pulses recorded in a file')
    .runs((context, options: BeaconOptions) => serve(context, options))
}
