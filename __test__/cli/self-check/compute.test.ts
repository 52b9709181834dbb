import { describe, expect, it } from 'vitest'
import { checkComputing } from '../../../src/cli/self-check/compute.ts'
import { addon, type Addon } from '../../../src/native/addon.ts'

/** The addon with some of its exports replaced. */
async function states(changes: Partial<Addon>): Promise<string[]> {
  const findings = await checkComputing(() => Promise.resolve({ ...addon(), ...changes }))
  return findings.map(({ name, state, detail }) => `${name} ${state}: ${detail}`)
}

describe('the addon held against known answers', () => {
  it('passes as it is', async () => {
    expect((await checkComputing()).map(({ name, state }) => `${name} ${state}`)).toEqual([
      'addon ok',
      'proof ok',
      'pulse ok'
    ])
  })

  it.each([
    [false, 'a valid proof does not verify'],
    [true, 'an invalid proof verifies']
  ])('fails where every proof is %s', async (verdict, words) => {
    expect(await states({ verifyProof: () => verdict })).toContainEqual(
      expect.stringContaining(`proof failed: ${words}`)
    )
  })

  it('fails where it makes another proof', async () => {
    const { Evaluation } = addon()
    class Another {
      readonly #made
      constructor(...[discriminant, x, iterations, split, memory]: ConstructorParameters<typeof Evaluation>) {
        this.#made = new Evaluation(discriminant, x, iterations + 1, split, memory)
      }
      advance(steps: number, stop: Uint32Array): void {
        this.#made.advance(steps, stop)
      }
      proof(): Uint8Array | null {
        return this.#made.proof()
      }
    }
    expect(await states({ Evaluation: Another as unknown as typeof Evaluation })).toContainEqual(
      expect.stringContaining('proof failed: a proof comes out as another one')
    )
  })

  it.each([
    [false, 'a valid pulse does not verify'],
    [true, 'a pulse verifies as that of another round']
  ])('fails where every pulse is %s', async (verdict, words) => {
    const ChainKey = class {
      verify(): boolean {
        return verdict
      }
    }
    expect(await states({ ChainKey })).toContainEqual(expect.stringContaining(`pulse failed: ${words}`))
  })

  it('says why it does not load', async () => {
    const findings = await checkComputing(() => Promise.reject(new Error('invalid ELF header')))
    expect(findings).toEqual([
      expect.objectContaining({ name: 'addon', state: 'failed', detail: 'invalid ELF header' })
    ])
  })
})
