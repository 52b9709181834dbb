import { describe, expect, it } from 'vitest'
import type { DaemonEvent } from '../../../../src/web/assets/lib/api.ts'
import { condensed, filtered, sentenceOf, topicOf } from '../../../../src/web/assets/events/sentences.ts'

const event = (id: number, type: string, detail: Record<string, unknown> = {}, second = id): DaemonEvent => ({
  id,
  type,
  detail,
  at: new Date(Date.UTC(2026, 10, 21, 12, 0, second)).toISOString()
})
const task = { task_id: 't', name: 'alice.chronym', kind: 'register', phase: 'prove', status: 'running' }

describe('an event as a sentence', () => {
  it.each([
    ['task:phase', task, 'The registration of alice.chronym makes its proof.'],
    ['task:completed', { ...task, kind: 'renew' }, 'The renewal of alice.chronym is complete.'],
    ['task:failed', { ...task, error: 'SVC-TSK-003' }, 'The registration of alice.chronym was cancelled.'],
    ['task:failed', { ...task, error: 'SVC-PUB-002' }, 'The registration of alice.chronym failed (SVC-PUB-002).'],
    ['name:held', { name: 'alice.chronym' }, 'Peers say that alice.chronym is yours.'],
    ['name:lost', { name: 'alice.chronym' }, 'Peers have settled on another owner of alice.chronym.'],
    ['name:warning', { name: 'alice.chronym', warning: 'grace', message: 'Renew it.' }, 'alice.chronym: Renew it.'],
    ['peer:connect', { peer: '12D3KooWAbCdEfGhIjKl' }, 'Peer 12D3KooW…GhIjKl connected.'],
    [
      'record:stored',
      { kind: 'reveal', id: 'bob.chronym', state: 'settled' },
      'This node stored the name bob.chronym (settled) for the network.'
    ],
    [
      'record:stored',
      { kind: 'coded', id: 'bob.chronym', state: 'stored' },
      'This node stored the check code of bob.chronym (stored) for the network.'
    ],
    ['mode', { mode: 'light' }, 'The mode is now light: this node asks others only.'],
    ['beacon:pulse', { round: 1234 }, 'The beacon is at round 1,234.'],
    ['later:thing', { a: 1, b: { c: 2 } }, 'later:thing (a: 1, b: {"c":2})']
  ])('%s', (type, detail, text) => {
    expect(sentenceOf({ type, detail }).text).toBe(text)
  })

  it('tells times in the words of this place', () => {
    const message = 'Its lease ends at 2026-11-30T00:51:35.000Z.'
    expect(sentenceOf({ type: 'name:warning', detail: { name: 'a.chronym', message } }).text).not.toContain('T00:51')
  })

  it('is red for failures only, and leads to what it speaks of', () => {
    expect(sentenceOf({ type: 'task:failed', detail: { ...task, error: 'SVC-TSK-003' } }).tone).toBe('quiet')
    expect(sentenceOf({ type: 'task:failed', detail: { ...task, error: 'SVC-INT-001' } }).tone).toBe('bad')
    expect(sentenceOf({ type: 'name:held', detail: { name: 'a.chronym' } }).href).toBe('#/lookup/a.chronym')
  })
})

describe('many events', () => {
  it('of peers within a minute become one line, newest first', () => {
    const lines = condensed([
      event(6, 'peer:connect', { peer: 'c' }),
      event(5, 'peer:connect', { peer: 'b' }),
      event(4, 'peer:disconnect', { peer: 'a' }),
      event(3, 'peer:connect', { peer: 'a' }, -100)
    ])
    expect(lines.map((line) => sentenceOf(line).text)).toEqual([
      '2 peers connected.',
      'Peer a left.',
      'Peer a connected.'
    ])
    expect(lines[0]!.id).toBe(6)
  })

  it('of tasks and names stay each for itself', () => {
    expect(condensed([event(2, 'task:phase', task), event(1, 'task:phase', task)])).toHaveLength(2)
  })

  it('are filtered by topic and by words of their sentence', () => {
    const events = [
      event(3, 'peer:connect', { peer: 'x' }),
      event(2, 'task:phase', task),
      event(1, 'mode', { mode: 'full' })
    ]
    expect(filtered(events, { topics: new Set(['task', 'other']) }).map(({ id }) => id)).toEqual([2, 1])
    expect(filtered(events, { topics: new Set(['task', 'peer']), search: 'ALICE proof' }).map(({ id }) => id)).toEqual([
      2
    ])
    expect(topicOf({ type: 'later:thing' })).toBe('other')
  })
})
