/** A crowd of adversaries around one name, in a lab of its own for each test. */
import { afterEach } from 'vitest'
import { recordKey } from '../../../src/protocol/neighbourhood/key-space.ts'
import type { Reveal } from '../../../src/protocol/claim/reveal.ts'
import { Lab, saltOf } from '../../network/lab.ts'
import { Adversaries, diverseProfile } from './adversary.ts'

export const NAME = 'wanted.chronym'
export const ONE_ADDRESS = '127.200.0.1'
/** Each in a /16 of its own. */
export const apart = (index: number): string => `127.${index + 1}.0.1`

export let lab: Lab
export let crowd: Adversaries

export function setUp(k: number): void {
  lab = new Lab(diverseProfile(k))
  crowd = new Adversaries(lab)
}

afterEach(async () => {
  await crowd.stop()
  await lab.close()
})

export const place = (): Uint8Array => recordKey('reveal', NAME, lab.hash)
export const addresses = (): string[] => lab.nodes.map(({ address }) => address)

/** A claim of the thief: its commitment has no witness. */
export function stolen(p = lab.round): Reveal {
  return lab.reveal(NAME, lab.owner('thief'), { p, salt: saltOf('thief') })
}
