/**
 * Nodes in processes of some fifty each: a process has file descriptors for ten thousand connections, and two hundred
 * nodes may have twice as many.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { NetworkProfile } from '../../src/protocol/profile/profile.ts'
import { endWithUs } from '../../bench/network/scratch.ts'
import type { Answer, CallName, Calls, Question } from './calls.ts'
import { FIRST_ROUND } from './model.ts'

const NODES_OF_PROCESS = 50

/** A call that takes longer has failed. */
const CALL_MS = 120_000

export interface Fleet {
  readonly round: number
  /** Calls the process of a node. Rejects with its error, or after two minutes. */
  ask<C extends CallName>(node: number, call: C, argument: Calls[C]['argument']): Promise<Calls[C]['result']>
  /** Calls all processes. */
  askAll<C extends CallName>(call: C, argument: Calls[C]['argument']): Promise<Calls[C]['result'][]>
  /** Lets rounds pass everywhere, `step` at a time. */
  pass(rounds: number, step: number): Promise<void>
  stop(): Promise<void>
}

interface Host {
  ask<C extends CallName>(call: C, argument: Calls[C]['argument']): Promise<Calls[C]['result']>
  end(): Promise<void>
}

export async function startFleet(profile: NetworkProfile, seed: string, nodes: number): Promise<Fleet> {
  const hosts = Array.from({ length: Math.ceil(nodes / NODES_OF_PROCESS) }, startHost)
  let round = FIRST_ROUND
  const fleet: Fleet = {
    get round() {
      return round
    },
    ask: (node, call, argument) => hosts[node % hosts.length]!.ask(call, argument),
    askAll: (call, argument) => Promise.all(hosts.map((host) => host.ask(call, argument))),
    async pass(rounds, step) {
      for (let left = rounds; left > 0; left -= step) {
        round += Math.min(step, left)
        await fleet.askAll('pass', { round })
      }
    },
    async stop() {
      await Promise.all(hosts.map((host) => host.end()))
    }
  }
  await fleet.askAll('begin', { profile, seed })
  return fleet
}

function startHost(): Host {
  const child = fork(join(import.meta.dirname, 'host.ts'), { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  endWithUs(child)
  const waiting = new Map<number, (answer: Answer) => void>()
  let asked = 0
  child.on('message', (message) => {
    const answer = message as Answer
    waiting.get(answer.id)?.(answer)
    waiting.delete(answer.id)
  })
  child.once('exit', (code, signal) => {
    for (const [id, take] of waiting) take({ id, fault: `a process of nodes ended with ${signal ?? code}` })
  })
  return {
    async ask<C extends CallName>(call: C, argument: Calls[C]['argument']) {
      const id = asked++
      const late = new AbortController()
      const answered = new Promise<Answer>((resolve) => {
        waiting.set(id, resolve)
        child.send({ id, call, argument } satisfies Question<C>)
      })
      const answer: Answer = await Promise.race([
        answered,
        delay(CALL_MS, { id, fault: `${call}: no answer within ${CALL_MS / 1000} s` }, { signal: late.signal })
      ])
      late.abort()
      if (answer.fault !== undefined) throw new Error(answer.fault)
      return answer.result as Calls[C]['result']
    },
    async end() {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.disconnect()
      await once(child, 'exit')
    }
  }
}
