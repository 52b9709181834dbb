import { isIPv4 as nodeIPv4, isIPv6 as nodeIPv6 } from 'node:net'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isIPv4, isIPv6 } from '../../../../src/protocol/zone/presentation.ts'

const EDGES = [
  '', ':', '::', ':::', '::1', '1::', ':1', '1:', '1:2:3:4:5:6:7:8', '1:2:3:4:5:6:7::', '::2:3:4:5:6:7:8',
  '1:2:3:4:5:6:7:8:9', '1::2::3', '::1.2.3.4', '1:2:3:4:5:6:1.2.3.4', '1:2:3:4:5:6:7:1.2.3.4', '::1.2.3.4:5',
  '1.2.3.4::', '1.2.3.4', '01.2.3.4', '256.1.1.1', '1.2.3', '1.2.3.4.5', '1.2.3.', ' 1.2.3.4', '::ffff:1.2.3.256',
  '12345::', 'g::', '::1 ', '1:2:3:4:5:1.2.3.4', '::1.2.3.4::', '0000::0000', '1::1.2.3.4', '1:2:3:4:5:6::1.2.3.4',
  '1:2:3:4:5::1.2.3.4', '::00001', '1::2:', ':1::2', '1.2.3.4:1::'
] // prettier-ignore

const part = fc.constantFrom('0', '1', 'ffff', '1a2B', '12345', '', '1.2.3.4', '01.2.3.4', 'x')
const address = fc.array(part, { maxLength: 10 }).map((parts) => parts.join(':'))
const dotted = fc.array(fc.constantFrom('0', '1', '255', '256', '01', ''), { maxLength: 5 }).map((all) => all.join('.'))

describe('texts of addresses', () => {
  it.each(EDGES)('are what Node takes for them: %j', (text) =>
    expect([isIPv4(text), isIPv6(text)]).toEqual([nodeIPv4(text), nodeIPv6(text)])
  )

  it('are what Node takes for them, in any order of parts', () => {
    fc.assert(
      fc.property(address, (text) => isIPv6(text) === nodeIPv6(text)),
      { numRuns: 2000, seed: 1 }
    )
    fc.assert(
      fc.property(dotted, (text) => isIPv4(text) === nodeIPv4(text)),
      { numRuns: 500, seed: 1 }
    )
  })
})
