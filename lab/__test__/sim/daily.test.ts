/** The workflow that plays all moves each day: its command means what it says, and its output is kept. */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, it } from 'vitest'
import { MOVES } from '../../sim/moves/index.ts'
import { Options } from '../../sim/options.ts'

const workflow = readFileSync(resolve(import.meta.dirname, '../../../.github/workflows/attacks.yml'), 'utf8')

/** The arguments of the simulator in a line of the workflow, with a seed in place of the variable. */
function argumentsOf(line: RegExp): string[] {
  const [, text] = line.exec(workflow) ?? []
  return text!.replace(/"?\$seed"?/, '20261129').split(' ')
}

it('plays every move each day, with the date as its seed, and prints the command that repeats it', () => {
  expect(workflow).toMatch(/^ {2}schedule:\n {4}- cron: '\d+ \d+ \* \* \*'$/m)
  expect(workflow).toContain('seed="${SEED:-$(date -u +%Y%m%d)}"')
  const played = argumentsOf(/^ +npm run --silent lab:sim -- (.+) --resume attacks\.jsonl \| tee -a attacks\.txt$/m)
  const options = new Options(played)
  expect(options.moves()).toEqual([undefined, ...MOVES.map(({ id }) => id)])
  expect(options.seeds()).toEqual(['20261129'])
  expect([options.counts('nodes', 2), options.common()]).toEqual([[40], { days: 1, names: 0 }])
  expect(argumentsOf(/echo "npm run lab:sim -- (.+)" \| tee attacks\.txt/)).toEqual(played)
})

it('fails with the simulator, and keeps what was played then, also where the time is over', () => {
  expect(workflow).toMatch(/^ {8}shell: bash$/m)
  expect(workflow).toMatch(/- if: \$\{\{ !success\(\) \}\}\n +uses: actions\/upload-artifact@/)
  expect(workflow).toMatch(/^ +path: attacks\.\*$/m)
  expect(workflow).not.toContain('continue-on-error')
})

it('may read the repository and nothing else', () => {
  expect([...workflow.matchAll(/^ *permissions:\n((?: +.+\n)+)/gm)].map(([, each]) => each)).toEqual([
    '  contents: read\n'
  ])
  expect(workflow).toContain('persist-credentials: false')
  // A seed that somebody types comes by the environment, never into the text of a command.
  expect(workflow.match(/\$\{\{ inputs\.seed \}\}/g)).toHaveLength(1)
  expect(workflow).toMatch(/^ {8}env:\n {10}SEED: \$\{\{ inputs\.seed \}\}$/m)
})
