import { describe, expect, it } from 'vitest'
import { releaseQuestion } from '../../../../src/web/assets/names/acts.ts'

describe('releasing a name', () => {
  it('is asked with what follows from it', () => {
    const question = releaseQuestion({ name: 'dave.chronym', lease_end: new Date(2 * 86_400_000).toISOString() }, 0)
    expect(question.title).toBe('Let dave.chronym lapse?')
    expect(question.lines?.[0]).toContain('Its lease ends in 2 d, and after the grace anyone may register it.')
  })
})
