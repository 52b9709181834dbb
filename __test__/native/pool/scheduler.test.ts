/** Lanes, slices and their bounds, with modelled threads whose calls end when the test says so. */
import { describe, expect, it } from 'vitest'
import { NativeError, type ProofQuestion, type Urgency } from '../../../src/native/types.ts'
import type { Call, WorkerCalls } from '../../../src/native/worker/requests.ts'
import { createScheduler } from '../../../src/native/pool/scheduler.ts'

/** A call under way. */
interface Running {
  kind: keyof WorkerCalls
  /** Iterations of each proof, by which the tests name them; the round for a pulse. */
  ids: number[]
  stop: SharedArrayBuffer | undefined
  end(milliseconds?: number, verdicts?: number): Promise<void>
  fail(error: Error): Promise<void>
}

const settle = async (): Promise<void> => await new Promise((resolve) => setImmediate(resolve))

function model(threads: number) {
  const running: Running[] = []
  let nowMs = 0
  const call: Call = (kind, request) => {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    const questions = 'questions' in request ? request.questions : []
    const ids =
      'questions' in request ? questions.map(({ iterations }) => iterations) : 'round' in request ? [request.round] : []
    const leave = async (): Promise<void> => {
      running.splice(running.indexOf(each), 1)
      await settle()
    }
    const each: Running = {
      kind,
      ids,
      stop: 'questions' in request ? request.stop : undefined,
      end(milliseconds = 10, verdicts = ids.length) {
        nowMs += milliseconds
        resolve(
          kind === 'verifyProofs' ? { verdicts: ids.slice(0, verdicts).map((id) => id % 2 === 0), milliseconds } : true
        )
        return leave()
      },
      fail(error) {
        reject(error)
        return leave()
      }
    }
    running.push(each)
    return promise as ReturnType<typeof call>
  }
  const scheduler = createScheduler(call, threads, () => nowMs)
  const proof = (id: number, urgency: Urgency = 'own') => scheduler.submitProof(question(id), urgency)
  const pulse = (round: number, urgency: Urgency = 'own') =>
    scheduler.submit('verifyPulse', { publicKey: new Uint8Array(96), round, signature: new Uint8Array(48) }, urgency)
  return { scheduler, running, proof, pulse }
}

function question(id: number): ProofQuestion {
  return { seed: new Uint8Array(32), bits: 1024, iterations: id, split: null, proof: new Uint8Array(200) }
}

const numbers = (count: number, from = 0): number[] => Array.from({ length: count }, (_, index) => from + index)

describe('proofs', () => {
  it('that are asked together are shared out among the threads, and each gets its own verdict', async () => {
    const { running, proof } = model(2)
    const asked = numbers(6).map((id) => proof(id).result)
    await settle()
    expect(running.map(({ ids }) => ids)).toEqual([
      [0, 1, 2],
      [3, 4, 5]
    ])
    await running[1]!.end()
    await running[0]!.end()
    expect(await Promise.all(asked)).toEqual([true, false, true, false, true, false])
  })

  it('fill slices of about 100 ms, whatever they turn out to cost', async () => {
    for (const costMs of [2, 8, 40]) {
      const { running, proof } = model(1)
      const asked = numbers(2000).map((id) => proof(id).result)
      await settle()
      const slices: number[] = []
      while (running.length > 0) {
        slices.push(running[0]!.ids.length * costMs)
        await running[0]!.end(running[0]!.ids.length * costMs)
      }
      await Promise.all(asked)
      const settled = slices.slice(20, -1)
      expect(settled.length).toBeGreaterThan(10)
      for (const ms of settled) {
        expect(ms).toBeGreaterThanOrEqual(50)
        expect(ms).toBeLessThanOrEqual(200)
      }
      expect(Math.max(...slices)).toBeLessThanOrEqual(400)
    }
  })

  it('let an urgent check pass: a flood of a thousand delays it by one slice', async () => {
    const { running, proof, pulse } = model(1)
    const flood = numbers(1000).map((id) => proof(id, 'expected').result)
    await settle()
    const urgent = [pulse(7).result, proof(2).result]
    expect(running.map(({ kind }) => kind)).toEqual(['verifyProofs'])
    await running[0]!.end()
    expect(running).toMatchObject([{ kind: 'verifyPulse', ids: [7] }])
    await running[0]!.end()
    expect(running).toMatchObject([{ kind: 'verifyProofs', ids: [2] }])
    await running[0]!.end()
    expect(await Promise.all(urgent)).toEqual([true, true])
    while (running.length > 0) await running[0]!.end()
    expect(await Promise.all(flood)).toHaveLength(1000)
  })

  it('of strangers get a fifth of the time while expected ones wait, and all of it when none does', async () => {
    const { running, proof } = model(1)
    const expected = numbers(500).map((id) => proof(id, 'expected').result)
    const unexpected = numbers(250, 10_000).map((id) => proof(id, 'unexpected').result)
    await settle()
    let strangers = 0
    let all = 0
    while (running.length > 0) {
      const { ids } = running[0]!
      // Until the expected ones are through.
      if (strangers + 500 > all) {
        all += ids.length
        if (ids[0]! >= 10_000) strangers += ids.length
      }
      await running[0]!.end(ids.length * 10)
    }
    expect(all - strangers).toBe(500)
    expect(strangers / all).toBeGreaterThan(0.15)
    expect(strangers / all).toBeLessThan(0.25)
    expect(await Promise.all([...expected, ...unexpected])).toHaveLength(750)
  })

  it('cannot save time up: a lane that was empty for long has no more than its share afterwards', async () => {
    const { running, proof } = model(1)
    const ask = (count: number, from: number, urgency: Urgency) =>
      numbers(count, from).map((id) => proof(id, urgency).result)
    const first = ask(900, 0, 'expected')
    await settle()
    while (running.length > 0) await running[0]!.end(1000)
    const both = [...ask(100, 0, 'expected'), ...ask(100, 1000, 'unexpected')]
    await settle()
    const order: boolean[] = []
    while (running.length > 0 && order.length < 5) {
      order.push(running[0]!.ids[0]! < 1000)
      await running[0]!.end(100)
    }
    expect(order).toContain(true)
    while (running.length > 0) await running[0]!.end()
    expect(await Promise.all([...first, ...both])).toHaveLength(1100)
  })
})

describe('a question', () => {
  it('beyond what may wait is refused at once, in its own lane only', async () => {
    const { scheduler, running, proof } = model(1)
    const waiting = numbers(256).map((id) => proof(id, 'unexpected').result)
    expect(() => proof(1, 'unexpected')).toThrow(expect.objectContaining({ code: 'POOL_BUSY' }) as Error)
    expect(() => scheduler.requireRoom(1025, 'expected')).toThrow(
      expect.objectContaining({ code: 'POOL_BUSY' }) as Error
    )
    scheduler.requireRoom(1024, 'expected')
    waiting.push(proof(1, 'expected').result)
    await settle()
    while (running.length > 0) await running[0]!.end()
    expect(await Promise.all(waiting)).toHaveLength(257)
  })

  it('that somebody more urgent asks too moves up', async () => {
    const { running, proof } = model(1)
    const results = [proof(1).result]
    await settle()
    const slow = proof(4, 'unexpected')
    results.push(slow.result, ...numbers(50, 100).map((id) => proof(id, 'expected').result))
    slow.hurry('own')
    await running[0]!.end()
    expect(running[0]!.ids).toEqual([4])
    while (running.length > 0) await running[0]!.end()
    await Promise.all(results)
  })

  it('taken back while it waits is not asked', async () => {
    const { running, proof } = model(1)
    const first = proof(1)
    await settle()
    const second = proof(2)
    second.abandon()
    await expect(second.result).rejects.toMatchObject({ code: 'POOL_BUSY' })
    await running[0]!.end()
    await first.result
    expect(running).toEqual([])
  })

  it('taken back while it is checked stops its slice only when nothing else in it is wanted', async () => {
    const { running, proof } = model(1)
    const [first, second, third] = numbers(3).map((id) => proof(id)) as [
      ReturnType<typeof proof>,
      ReturnType<typeof proof>,
      ReturnType<typeof proof>
    ]
    await settle()
    const stopWord = new Uint32Array(running[0]!.stop!)
    first.abandon()
    second.abandon()
    expect(stopWord[0]).toBe(0)
    third.abandon()
    expect(stopWord[0]).toBe(1)
    const refused = [second, third].map(({ result }) => expect(result).rejects.toMatchObject({ code: 'POOL_BUSY' }))
    await running[0]!.end(10, 1)
    expect(await first.result).toBe(true)
    await Promise.all(refused)
  })

  it('whose slice fails is asked alone, so that only the one at fault fails', async () => {
    const { running, proof } = model(1)
    const asked = numbers(3, 2).map((id) => proof(id).result)
    const fault = expect(asked[1]).rejects.toMatchObject({ code: 'KERNEL_FAULT' })
    await settle()
    await running[0]!.fail(new NativeError('KERNEL_FAULT', 'a panic'))
    for (const id of [2, 3, 4]) {
      expect(running[0]!.ids).toEqual([id])
      if (id === 3) await running[0]!.fail(new NativeError('KERNEL_FAULT', 'a panic'))
      else await running[0]!.end()
    }
    await fault
    expect(await asked[0]).toBe(true)
    expect(await asked[2]).toBe(true)
  })

  it('ends with the error of closing, whether it waits or comes afterwards', async () => {
    const { scheduler, running, proof } = model(1)
    const first = proof(1).result
    await settle()
    const second = expect(proof(2).result).rejects.toThrow('closed')
    scheduler.close(new Error('closed'))
    await second
    expect(() => proof(3)).toThrow('closed')
    await running[0]!.end()
    expect(await first).toBe(false)
    expect(running).toEqual([])
  })
})
