import { describe, expect, it } from 'vitest'
import type { PlacedPeer } from '../../../../src/web/assets/lookup/layout.ts'
import * as words from '../../../../src/web/assets/lookup/words.ts'
import { explanation } from '../../../api/helpers/explanation.ts'
import { EXPLAINED_RULES, EXPLAINED_STATES, type Explanation } from '../../../../src/views/explanation.ts'

const OWNER = 'ab'.repeat(32)
const CLAIM = '12'.repeat(32)
const pin = {
  owner: OWNER,
  claim_id: CLAIM,
  check_code: '7kq2mx4q8r7kq2mx4q8r7kq2mx',
  state: 'firm',
  since: '2026-01-01T00:00:00.000Z',
  second_look: null,
  firm_since: '2026-01-02T00:00:00.000Z',
  until: '2027-01-01T00:00:00.000Z',
  rival: null,
  contested_until: null
} as const

describe('the steps to a verdict', () => {
  it('are who was asked, what counted, which rule decided, the pin, and whether it resolves', () => {
    const steps = words.stepsOf(
      explanation({
        rule: 'majority',
        rule_text: 'The majority wins.',
        owner: OWNER,
        claim_id: CLAIM,
        resolves: 'settled',
        error: null,
        pin,
        candidates: [{ owner: OWNER, votes: 7, settled_votes: 7, serial: 3, lease_end: '2027-01-01T00:00:00.000Z' }],
        asked: { peers: 12, answered: 10, silent: [], left_out: 3 }
      })
    )
    expect(steps.map(({ title, tone }) => [title, tone])).toEqual([
      ['Asked', 'good'],
      ['Counted', 'good'],
      ['The majority', 'good'],
      ['Pinned', 'good'],
      ['Resolves', 'good']
    ])
    expect(steps[0]!.text).toBe(
      '12 peers near the name, of about 2 nodes. 10 answered; 3 more do not count, since their prefix is full.'
    )
    expect(steps[1]!.text).toContain('7 for abababab…ababab')
  })

  it('warn of a rival, of another pinned key, and of what does not resolve', () => {
    const steps = words.stepsOf(explanation({ rule: 'pin', owner: null, pin: { ...pin, owner: 'cd'.repeat(32) } }))
    expect(steps.find(({ title }) => title === 'Pinned')).toMatchObject({ tone: 'bad' })
    const another = words.stepsOf(explanation({ owner: OWNER, claim_id: '34'.repeat(32), pin }))
    expect(another.find(({ title }) => title === 'Pinned')).toMatchObject({ tone: 'bad' })
    expect(steps.at(-1)).toMatchObject({ title: 'Does not resolve', tone: 'warn' })
    const disputed = words.stepsOf(explanation({ pin: { ...pin, state: 'tentative', rival: 'ef'.repeat(32) } }))
    expect(disputed.find(({ title }) => title === 'Remembered')).toMatchObject({ tone: 'bad' })
  })

  it('have words for every rule, state and certainty', () => {
    const certainties = ['settled', 'provisional', 'thin', 'proven'] as const satisfies Explanation['resolves'][]
    for (const resolves of certainties)
      expect(words.stepsOf(explanation({ resolves, error: null })).at(-1)!.text).toMatch(/^The answer is \w/)
    expect(Object.keys(words.RULES).toSorted()).toEqual(EXPLAINED_RULES.toSorted())
    expect(Object.keys(words.STATES).toSorted()).toEqual(EXPLAINED_STATES.toSorted())
  })
})

it('says what each peer said, and sums it up for those who cannot see the picture', () => {
  expect(words.saidBy({ kind: 'first', state: 'settled', owner: OWNER, serial: 4 })).toBe(
    'settled: key abababab…ababab, serial 4'
  )
  expect(words.saidBy({ kind: 'unproved', state: 'fresh', owner: null, serial: null })).toBe(
    'fresh: a claim without its record'
  )
  expect(words.saidBy({ kind: 'silent', state: null, owner: null, serial: null, reason: 'busy' })).toBe('too busy')
  const picture = { peers: (['first', 'first', 'silent'] as const).map((kind): Pick<PlacedPeer, 'kind'> => ({ kind })) }
  expect(words.pictureText(explanation({ name: 'a.chronym', owner: OWNER }), picture)).toBe(
    '3 peers around a.chronym: 2 names the owner, 1 did not answer. The table below has each of them.'
  )
  // Nobody names an owner where none was found.
  expect(words.pictureText(explanation({ owner: null }), picture)).toContain('2 names one key')
})

it('writes distances so that two peers can be compared', () => {
  expect([0, 0.5, 0.01234, 0.00001].map(words.distanceText)).toEqual(['0', '50%', '1.2%', '1.0e-3%'])
})

it("takes times and keys out of a sentence, to be shown in the page's own way", () => {
  expect(words.partsOf(`the key ${OWNER}; until 2026-01-08T00:00:00.000Z.`)).toEqual([
    { text: 'the key ' },
    { key: OWNER },
    { text: '; until ' },
    { time: '2026-01-08T00:00:00.000Z' },
    { text: '.' }
  ])
  expect(words.partsOf('plain')).toEqual([{ text: 'plain' }])
})

it('tells a DID from a name', () => {
  expect(['did:chronym:zQm', ' DID:x:y', 'did.chronym', 'alice'].map(words.isDid)).toEqual([true, true, false, false])
})
