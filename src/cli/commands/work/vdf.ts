import { availableParallelism } from 'node:os'
import { InvalidArgumentError } from 'commander'
import type { CliCommand } from '../../context.ts'
import { hexOption, integerOption, numberOption } from '../../input/values.ts'
import { MAX_DISCRIMINANT_BITS } from '../../vdf/kernel.ts'

const MAX_ITERATIONS = Number.MAX_SAFE_INTEGER
const DEFAULT_BITS = 1024
const DEFAULT_BENCH_SECONDS = 5
const MAX_BENCH_SECONDS = 3600
const DEFAULT_BENCH_RUNS = 5
const MAX_BENCH_RUNS = 1000
const MAX_BENCH_THREADS = 1024

/** Option parser: any whole number; one too large to be a depth is a wrong answer, not a wrong question. */
function depthOption(text: string): number {
  if (!/^\d+$/u.test(text)) throw new InvalidArgumentError('It must be a whole number.')
  return Number(text)
}

export function addVdfCommands(program: CliCommand): void {
  const vdf = program
    .command('vdf')
    .description('the verifiable delay function alone; needs no daemon')
    .helpCommand(false)

  vdf
    .command('verify')
    .description('check a proof: exit code 0 when valid, 1 when not')
    .option('--seed <hex>', 'seed of the discriminant', hexOption)
    .option('--discriminant <hex>', '|D| itself, big-endian, instead of a seed', hexOption)
    .option(
      '--bits <n>',
      'size of the discriminant in bits, a multiple of 8',
      integerOption(0, Number.MAX_SAFE_INTEGER)
    )
    .option('--iterations <t>', 'squarings claimed', integerOption(0, MAX_ITERATIONS))
    .option('--x <hex>', 'start, a form of 100 bytes (default: the generator)', hexOption)
    .option('--depth <n>', 'levels of recursion (default: 0)', depthOption)
    .option('--proof <hex>', 'y and all that follows it', hexOption)
    .option('--jsonl <file>', 'check every line of a file ("-": standard input) and print a verdict for each')
    .loads(async () => (await import('../../vdf/verify.ts')).runVerify)

  vdf
    .command('prove')
    .description('compute and prove; prints the proof (y and all that follows) in hex')
    .requiredOption('--seed <hex>', 'seed of the discriminant, 2 to 64 bytes', hexOption)
    .option(
      '--bits <n>',
      'size of the discriminant in bits, a multiple of 8',
      integerOption(8, MAX_DISCRIMINANT_BITS),
      DEFAULT_BITS
    )
    .requiredOption('--iterations <t>', 'squarings', integerOption(0, MAX_ITERATIONS))
    .option('--depth <n>', '0: one segment; 1: two segments (default: 0)', integerOption(0, 1))
    .option(
      '--split <n>',
      'squarings of the first of two segments (default with --depth 1: nine tenths)',
      integerOption(1, MAX_ITERATIONS)
    )
    .loads(async () => (await import('../../vdf/prove.ts')).runProve)

  vdf
    .command('bench')
    .description('measure squarings per second on one thread and on more')
    .option('--seconds <n>', 'how long for each', numberOption(0.1, MAX_BENCH_SECONDS), DEFAULT_BENCH_SECONDS)
    .option('--runs <n>', 'runs that share this time', integerOption(1, MAX_BENCH_RUNS), DEFAULT_BENCH_RUNS)
    .option(
      '--threads <n>',
      'the most threads: 1, 2, 4 and so on up to these (default: one a core)',
      integerOption(1, MAX_BENCH_THREADS),
      availableParallelism()
    )
    .option('--bits <n>', 'size of the discriminant in bits', integerOption(8, MAX_DISCRIMINANT_BITS), DEFAULT_BITS)
    .option('--report <path>', 'measure verification too, and write all to PATH.md and PATH.json')
    .loads(async () => (await import('../../vdf/bench.ts')).runBench)
}
