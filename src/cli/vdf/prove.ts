import { setTimeout as delay } from 'node:timers/promises'
import type { Context } from '../context.ts'
import { EXIT, Failure, usageFailure } from '../failures/failure.ts'
import { etaSeconds } from '../terminal/progress.ts'
import { NativeError, type Evaluation, type NativePool } from '../../native/types.ts'
import { seedFault, withPool } from './kernel.ts'

interface ProveOptions {
  seed: Uint8Array
  bits: number
  iterations: number
  depth?: number
  split?: number
}

const WATCH_INTERVAL_MS = 100

/** Where the registry splits two segments (docs/protocol/wire.md, 7): the second is a tenth, rounded down. */
function defaultSplit(iterations: number): number {
  return iterations - Math.floor(iterations / 10)
}

function splitOf(options: ProveOptions): number | null {
  const { depth, split, iterations } = options
  if (depth === 0 && split !== undefined) throw usageFailure('--split needs two segments, --depth 0 has one')
  if (split === undefined && depth !== 1) return null
  const chosen = split ?? defaultSplit(iterations)
  if (chosen < 1 || chosen >= iterations)
    throw usageFailure(`both segments need a squaring: ${iterations} can't be split at ${chosen}`)
  return chosen
}

/** The command line keeps no checkpoints: its evaluations live as long as the process. */
const NO_CHECKPOINT_SECONDS = 86_400

/** The proof, with a progress line on stderr until it is there. Throws CLI-INT-001 at Ctrl-C, NativeError. */
export async function evaluate({ output, signal }: Context, pool: NativePool, asked: Evaluation): Promise<Uint8Array> {
  const { iterations } = asked
  const evaluation = pool.evaluate(asked, { checkpointSeconds: NO_CHECKPOINT_SECONDS }, () => undefined)
  const stop = (): void => evaluation.stop()
  signal.addEventListener('abort', stop)
  // It may have come while the kernel was loaded.
  if (signal.aborted) stop()
  const painter = output.painter()
  const done = new AbortController()
  const watching = (async () => {
    while (output.live && !done.signal.aborted) {
      const { phase, squarings, phaseProgress, squaringsPerSecond } = evaluation.progress()
      if (phase === 'squaring') {
        painter.show({
          label: 'squaring',
          done: squarings,
          total: iterations,
          perSecond: squaringsPerSecond || undefined,
          etaSeconds: etaSeconds(squarings, iterations, squaringsPerSecond)
        })
      } else
        painter.show({ label: 'proving ', done: Math.floor(phaseProgress * iterations), total: iterations, note: '' })
      await delay(WATCH_INTERVAL_MS, undefined, { signal: done.signal }).catch(() => undefined)
    }
  })()
  try {
    const outcome = await evaluation.outcome
    if (outcome.kind === 'proof') return outcome.proof
    if (outcome.kind === 'failed') throw new NativeError(outcome.code as NativeError['code'], outcome.message)
    throw new Failure('CLI-INT-001', 'interrupted before the proof was there', { exitCode: EXIT.interrupted })
  } finally {
    done.abort()
    await watching
    painter.clear()
    signal.removeEventListener('abort', stop)
  }
}

/** `chronym vdf prove`: the proof in hex on stdout. */
export async function runProve(context: Context, options: ProveOptions): Promise<void> {
  const { seed, bits, iterations } = options
  if (bits % 8 !== 0) throw usageFailure(`--bits ${bits}: it must be a multiple of 8`)
  const fault = seedFault(seed)
  if (fault !== undefined) throw usageFailure(`--seed: ${fault}`)
  const split = splitOf(options)
  const proof = await withPool((pool) => evaluate(context, pool, { seed, discriminantBits: bits, iterations, split }))
  const hex = Buffer.from(proof).toString('hex')
  context.output.plain({ proof: hex, bits, iterations, depth: split === null ? 0 : 1, split }, hex)
}
