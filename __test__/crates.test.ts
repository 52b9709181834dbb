/** Holds the crates to a module graph that can be drawn: no module needs one that needs it. */
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { circles } from './circles.ts'
import { graphOf, moduleGraph, siblingGraphs } from './rust-modules.ts'

const ROOT = resolve(import.meta.dirname, '..')

/**
 * Crates, and how many edges between their modules the reader must see at least: fewer mean that it reads too little.
 */
const CRATES = [
  ['crates/vdf', 200],
  ['crates/beacon', 1],
  ['crates/dns', 30],
  ['crates/https', 10],
  ['crates/node', 5],
  ['crates/vdf/fuzz', 10],
  ['crates/dns/fuzz', 2],
  ['crates/https/fuzz', 0]
] as const

describe.each(CRATES)('the modules of %s', (crate, least) => {
  const graph = moduleGraph(resolve(ROOT, crate, 'src'))

  it('are read with their edges', () => {
    expect([...graph.values()].reduce((sum, used) => sum + used.size, 0)).toBeGreaterThanOrEqual(least)
  })

  it('have no circle', () => {
    expect(circles(graph)).toEqual([])
  })

  it('have no circle among folders', () => {
    expect(
      [...siblingGraphs(graph)].flatMap(([parent, children]) => circles(children).map((circle) => ({ parent, circle })))
    ).toEqual([])
  })
})

describe('the reader of modules', () => {
  const graph = (sources: Record<string, string>) => graphOf(new Map(Object.entries(sources)))

  it.each([
    ['a path below crate', { a: 'use crate::b::B;', b: 'use crate::a::A;' }],
    ['a path below super', { a: 'use super::b::B;', b: 'use super::a::{A, C};' }],
    ['a path in the code', { a: 'fn f() { crate::b::g() }', b: 'fn g() { super::a::f() }' }],
    ['groups within groups', { a: 'use crate::{c::C, b::{B, D}};', b: 'pub(crate) use crate::a::A;', c: '' }],
    ['a re-exported name', { '': 'pub use a::A; pub use b::B;', a: 'use crate::B;', b: 'use crate::A;' }]
  ])('sees a circle through %s', (_, sources) => expect(circles(graph(sources))).toEqual([['a', 'b']]))

  it('sees a child that needs what its parent defines', () => {
    expect(circles(graph({ a: 'mod b; use b::B; const N: usize = 1;', 'a::b': 'use super::N;' }))).toEqual([
      ['a', 'a::b']
    ])
  })

  it('sees two folders that need each other through different files', () => {
    const edges = graph({
      'a::x': 'use crate::b::y::Y;',
      'a::z': '',
      'b::y': '',
      'b::w': 'use crate::a::z::Z;',
      a: '',
      b: ''
    })
    expect(circles(edges)).toEqual([])
    expect(circles(siblingGraphs(edges).get('')!)).toEqual([['a', 'b']])
  })

  it.each([
    [
      'a parent that hands on what its children define',
      { a: 'mod b; mod c; pub use b::B; pub use c::C;', 'a::b': '', 'a::c': 'use super::B;' }
    ],
    [
      'tests',
      {
        a: 'use crate::b::B;',
        b: '#[cfg(test)]\nmod tests { use crate::a::A; fn f() { } }',
        'b::tests': 'use crate::a::A;'
      }
    ],
    ['visibility', { a: 'mod b; fn f() { b::g() }', 'a::b': 'pub(in crate::a) fn g() {}' }],
    ['comments', { a: 'use crate::b::B;', b: '// use crate::a::A;' }]
  ])('allows %s', (_, sources) => expect(circles(graph(sources))).toEqual([]))
})
