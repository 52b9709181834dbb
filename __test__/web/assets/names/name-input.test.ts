import { describe, expect, it } from 'vitest'

const asset = (file: string) => import(new URL(`../../../../src/web/assets/${file}`, import.meta.url).href)
const { canonicalName, suggestedName, suffixOf } = (await asset('names/name-input.js')) as {
  canonicalName: (text: string) => string
  suggestedName: (text: string, suffix: string) => string | undefined
  suffixOf: (names: string[]) => string
}

describe('a name as it is entered', () => {
  it.each([
    ['alice.chronym', 'alice.chronym'],
    [' Alice.CHRONYM. ', 'alice.chronym'],
    ['alice.chronym..', 'alice.chronym.'],
    // The Kelvin sign becomes a small k elsewhere, which is another name.
    ['\u212Aen.chronym', '\u212Aen.chronym']
  ])('%s is %s', (text, name) => {
    expect(canonicalName(text)).toBe(name)
  })

  it.each([
    ['Dave', 'dave.chronym'],
    ['dave.', 'dave.chronym'],
    ['dave.chronym', undefined],
    ['www.dave.chronym', undefined],
    ['dave.com', undefined],
    [' ', undefined]
  ])('%s suggests %s', (text, name) => {
    expect(suggestedName(text, '.chronym')).toBe(name)
  })

  it('takes the suffix of the names that are there', () => {
    expect(suffixOf([])).toBe('.chronym')
    expect(suffixOf(['alice.example', 'bob.example'])).toBe('.example')
  })
})
