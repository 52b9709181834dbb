import { describe, expect, it } from 'vitest'
import { CHECK_MS } from '../../../src/network/budget/budget.ts'
import { createVerifier, verifyOffered } from '../../../src/network/holder/verifier.ts'
import { LOCAL, makeReveal } from '../../protocol/fixtures.ts'
import { Lab } from '../lab.ts'

describe('the verifier', () => {
  it('gives no verdict where none could be reached, and the next time asks again', async () => {
    const lab = new Lab()
    const reveal = lab.reveal('once.chronym', lab.owner('alice'), { p: lab.round })
    let isDown = true
    const verifier = createVerifier(lab.profile, lab.beacon, {
      verifyProof: (question) =>
        isDown ? Promise.reject(new Error('the pool is closed')) : lab.pool.verifyProof(question)
    })
    await expect(verifier.validate(reveal)).rejects.toThrow('the pool is closed')
    isDown = false
    expect((await verifier.validate(reveal)).ok).toBe(true)
  })

  it('[a proof copied under another key] takes no verdict over to it', async () => {
    const lab = new Lab()
    const reveal = lab.reveal('copied.chronym', lab.owner('alice'), { p: lab.round })
    const verifier = createVerifier(lab.profile, lab.beacon, lab.pool)
    expect((await verifier.validate(reveal)).ok).toBe(true)
    const thief = lab.owner('mallory')
    expect(await verifier.validate(lab.updated(reveal, thief, 1))).toMatchObject({ ok: false, rule: 'proof' })
  })

  it('charges the sender for each change of keys, before any pulse', async () => {
    const { beacon, pool } = new Lab()
    const verifier = createVerifier(LOCAL, beacon, pool)
    const charged: number[] = []
    const work = { charge: (milliseconds: number) => void charged.push(milliseconds), end: () => undefined }
    const changes = Array.from({ length: 16 }, (_, index) => ({ to: `owner ${index}` }))
    const record = makeReveal({ words: 'words', changes })
    expect(await verifyOffered(verifier, record, 'unexpected', work)).toMatchObject({ ok: false, rule: 'pulse' })
    expect(charged).toEqual([16 * CHECK_MS.change])
  })

  it('charges for a proof what this machine measured', async () => {
    const lab = new Lab()
    const verifier = createVerifier(lab.profile, lab.beacon, lab.pool, () => 114.5)
    const charged: number[] = []
    const work = { charge: (milliseconds: number) => void charged.push(milliseconds), end: () => undefined }
    const reveal = lab.reveal('priced.chronym', lab.owner('alice'), { p: lab.round })
    expect(await verifyOffered(verifier, reveal, 'unexpected', work)).toMatchObject({ ok: true })
    // no change of keys; the first pulse is paid
    expect(charged).toEqual([0, 114.5])
  })
})
