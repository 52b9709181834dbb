/** Workers in processes of their own. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { FarmTimes } from '../../src/farm/link.ts'

export interface WorkerArguments {
  readonly url: string
  readonly network: string
  readonly name: string
  readonly times: FarmTimes
}

export class WorkerProcess {
  readonly #process: ChildProcess
  /** Squarings at which it took evaluations up. */
  readonly begun: number[] = []
  /** What else it said. */
  readonly said: string[] = []

  constructor(args: WorkerArguments) {
    const script = new URL('worker-process.ts', import.meta.url).pathname
    this.#process = spawn(process.execPath, [script, JSON.stringify(args)], { stdio: ['ignore', 'pipe', 'inherit'] })
    createInterface({ input: this.#process.stdout! }).on('line', (line) => {
      const { message, squarings } = JSON.parse(line) as { message: string; squarings?: number }
      if (message === 'begins') this.begun.push(squarings!)
      else this.said.push(message)
    })
  }

  signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    this.#process.kill(signal)
  }

  async kill(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return
    const exited = once(this.#process, 'exit')
    this.#process.kill('SIGKILL')
    await exited
  }
}
