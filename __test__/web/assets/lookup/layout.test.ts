import { describe, expect, it } from 'vitest'
import { explanation } from '../../../api/helpers/explanation.ts'
import type { Explanation } from '../../../../src/views/explanation.ts'
import { layout, type Layout, type PlacedPeer } from '../../../../src/web/assets/lookup/layout.ts'

const OWNER = 'ab'.repeat(32)
const RIVAL = 'cd'.repeat(32)
const answer = (
  peer: string,
  change: Partial<Explanation['answers'][number]> = {}
): Explanation['answers'][number] => ({
  peer,
  distance: 0.1,
  prefix: null,
  self: false,
  state: 'settled',
  claim_id: 'ef'.repeat(32),
  serial: 1,
  owner: OWNER,
  vote: true,
  ...change
})
const scene = (answers: Explanation['answers'], change: Partial<Explanation> = {}): Explanation =>
  explanation({
    owner: OWNER,
    answers,
    asked: { peers: 9, answered: answers.length, silent: [], left_out: 0 },
    ...change
  })
const away = ({ centre }: Layout, { x, y }: PlacedPeer) => Math.hypot(x - centre.x, y - centre.y)

describe('the picture of an explanation', () => {
  it('numbers the peers by distance, and places the farther ones farther out', () => {
    const picture = layout(scene([0.4, 0.001, 0.05].map((distance, index) => answer(`p${index}`, { distance }))))
    expect(picture.peers.map(({ peer, number }) => [peer, number])).toEqual([
      ['p1', 1],
      ['p2', 2],
      ['p0', 3]
    ])
    const distances = picture.peers.map((peer) => away(picture, peer))
    expect(distances).toEqual(distances.toSorted((left, right) => left - right))
    expect(distances[0]).toBeGreaterThan(picture.core)
    expect(distances[2]).toBeCloseTo(picture.outer, 0)
  })

  it('tells who names the owner, who another key, who nothing, and who was silent', () => {
    const picture = layout(
      scene(
        [
          answer('yes', { distance: 0.1 }),
          answer('rival', { distance: 0.2, owner: RIVAL }),
          answer('stub', { distance: 0.3, owner: null }),
          answer('none', { distance: 0.4, state: 'none', claim_id: null, owner: null, serial: null, vote: false })
        ],
        {
          asked: {
            peers: 5,
            answered: 4,
            silent: [{ peer: 'mute', distance: 0.5, prefix: null, reason: 'busy' }],
            left_out: 0
          }
        }
      )
    )
    expect(Object.fromEntries(picture.peers.map(({ peer, kind }) => [peer, kind]))).toEqual({
      yes: 'first',
      rival: 'other',
      stub: 'unproved',
      none: 'none',
      mute: 'silent'
    })
  })

  it('puts peers of one prefix beside each other under one arc, and those of one provider next to it', () => {
    const prefixes = ['192.0.2.0/24', '198.51.100.0/24', '192.0.2.0/24', '192.0.7.0/24', null]
    const picture = layout(
      scene(prefixes.map((prefix, index) => answer(`p${index}`, { prefix, distance: (index + 1) / 10 })))
    )
    expect(picture.arcs.map(({ prefix, count }) => [prefix, count])).toEqual([
      ['192.0.2.0/24', 2],
      ['192.0.7.0/24', 1],
      ['198.51.100.0/24', 1]
    ])
    const byAngle = picture.peers.toSorted((left, right) => left.angle - right.angle).map(({ prefix }) => prefix)
    expect(byAngle).toEqual([null, '192.0.2.0/24', '192.0.2.0/24', '192.0.7.0/24', '198.51.100.0/24'])
    for (const { path } of picture.arcs) expect(path).not.toContain('NaN')
  })

  it('shows within which distance holders are expected, unless that is the whole network', () => {
    const answers = [answer('near', { distance: 0.01 }), answer('far', { distance: 0.2 })]
    expect(layout(scene(answers)).reach).toBeNull()
    const picture = layout(scene(answers, { reach: { network_size: 200, holders: 20, radius: 0.1 } }))
    expect(picture.reach).toBeGreaterThan(away(picture, picture.peers[0]!))
    expect(picture.reach).toBeLessThan(away(picture, picture.peers[1]!))
  })

  it('has no labels outside in a narrow window, and holds without any peer', () => {
    const one = scene([answer('p', { prefix: '192.0.2.0/24' })])
    expect(layout(one).arcs).toHaveLength(1)
    expect(layout(one, 'narrow').arcs).toEqual([])
    expect(layout(scene([]))).toMatchObject({ peers: [], arcs: [], reach: null })
  })
})
