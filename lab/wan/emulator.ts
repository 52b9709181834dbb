/** The process that forwards the packets of all places: `chronym-wan` (src/). */
import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Scene } from '../../__test__/e2e/processes.ts'
import { build } from '../../bench/build.ts'

interface PlaceCounts {
  readonly bytes_out: number
  readonly bytes_in: number
  /** Bits a second, the highest of any ten seconds since they were asked for. */
  readonly highest_rate_out: number
  readonly highest_rate_in: number
  /** Connections by TCP, since the start. */
  readonly opened: number
  readonly accepted: number
  readonly open: number
  readonly most_open: number
  /** By the queues of its line. */
  readonly dropped: number
  readonly longest_wait_ms: number
}

export interface Emulator {
  /** One of src/commands.rs; rejects with what is wrong with it. */
  command(line: string): Promise<unknown>
  /** Of all places, by number. */
  counts(): Promise<PlaceCounts[]>
  /** Ends it; gives what it counted, as JSON. */
  end(): Promise<string>
}

/** `lines`: see src/plan.rs. The namespaces must be there, without a device `wan`. */
export async function startEmulator(scene: Scene, lines: readonly string[]): Promise<Emulator> {
  const program = await build({ folder: 'lab/wan', name: 'chronym-wan', variant: 'plain' })
  const plan = join(scene.directory(), 'plan')
  writeFileSync(plan, lines.join('\n'))
  const running = scene.child(spawn(program, [plan], { stdio: ['pipe', 'pipe', 'inherit'] }))
  const output = createInterface({ input: running.stdout })[Symbol.asyncIterator]()
  /** The answers come in the order of the commands. */
  let last: Promise<unknown> = Promise.resolve()
  const answer = (): Promise<string> => {
    const line = last.then(async () => {
      const { value, done } = await output.next()
      if (done === true) throw new Error('the emulator ended')
      return value
    })
    last = line.catch(() => undefined)
    return line
  }
  await answer()
  const command = async (line: string): Promise<unknown> => {
    running.stdin.write(`${line}\n`)
    const said: unknown = JSON.parse(await answer())
    if (typeof said === 'object' && said !== null && 'error' in said) throw new Error(String(said.error))
    return said
  }
  return {
    command,
    counts: async () => (await command('counts')) as PlaceCounts[],
    end() {
      running.stdin.end()
      return answer()
    }
  }
}
