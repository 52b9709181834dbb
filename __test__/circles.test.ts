/** Holds the search for circles, which the tests of the sources and of the crates rest on. */
import { expect, it } from 'vitest'
import { circles } from './circles.ts'

const graph = (edges: Record<string, readonly string[]>): ReadonlyMap<string, ReadonlySet<string>> =>
  new Map(Object.entries(edges).map(([from, to]) => [from, new Set(to)]))

it.each([
  ['a line', { a: ['b'], b: ['c'], c: [] }, []],
  ['two ways to one node', { a: ['b', 'c'], b: ['d'], c: ['d'], d: [] }, []],
  ['a circle that others lead to and leave', { a: ['b'], b: ['c'], c: ['b', 'd'], d: [] }, [['b', 'c']]],
  [
    'two circles',
    { a: ['b'], b: ['a', 'c'], c: ['d'], d: ['c'] },
    [
      ['a', 'b'],
      ['c', 'd']
    ]
  ],
  ['two circles through one node', { a: ['b', 'c'], b: ['a'], c: ['a'] }, [['a', 'b', 'c']]],
  ['an edge to a node without an entry', { a: ['b'] }, []]
])('finds the circles of %s', (_, edges, expected) => expect(circles(graph(edges))).toEqual(expected))
