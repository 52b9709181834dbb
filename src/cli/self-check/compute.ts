/** Whether the addon loads, is of this version and computes what others computed. */
import type { Addon } from '../../native/addon.ts'
import { INSTALL_AGAIN } from '../../native/platform.ts'
import { VERSION } from '../../version.ts'
import { fromHex } from '../../protocol/encoding/bytes.ts'
import { failed, type Finding, ok, problem } from './findings.ts'

/**
 * What others computed, to hold the addon against: lines of __test__/vectors/chiavdf.jsonl (made with chiavdf 47b03f0)
 * and __test__/vectors/quicknet-pulses.json (drand's quicknet).
 */
const KNOWN_PROOF = {
  seed: fromHex('0000010203030404'),
  bits: 1024,
  iterations: 1000,
  /** y, then the witness. */
  proof: fromHex(
    '0200e224cf302b467ca20658e20d738a76e7eebe50b3413f0ed221009d40275eeb9e1fef3cd4d6b66e29e721c2f262b3' +
      '46743c1a95e06fe5e550d31b30b3a92a000f6b1a5503813a001da83fd74f19516b843344a7206cb63e5ee3dfa1a8c359' +
      'b0290100010032d31f22b4189aec5f8321186ac9d24c1858a191dfd5a1eeffb953b38069d03eb6c7c14f193cbb8ea7b5' +
      'f513c54792cf6c0845f947b89206a62b77f659a620382dd24e4b6a62e8df250352aa9d7242cd6d56c24a7eaaec3b67dc' +
      'e5905cc734010100'
  )
}

const KNOWN_PULSE = {
  publicKey: fromHex(
    '83cf0f2896adee7eb8b5f01fcad3912212c437e0073e911fb90022d3e760183c8c4b450b6a0a6c3ac6a5776a2d106451' +
      '0d1fec758c921cc22b0e17e63aaf4bcb5ed66304de9cf809bd274ca73bab4af5a6e9c76a4bc09e76eae8991ef5ece45a'
  ),
  round: 1000,
  signature: fromHex('b44679b9a59af2ec876b1a6b1ad52ea9b1615fc3982b19576350f93447cb1125e342b73a8dd2bacbe47e4b6b63ed5e39')
}

const CURE = `${INSTALL_AGAIN} If it fails again, report it with \`chronym vdf bench\`.`

/** Enough for squaring and proof of the known answer in one go. */
const UNITS_OF_WORK = 1_000_000
const MEMORY_BYTES = 16 * 2 ** 20

/** The other findings need the addon: there are none without it. */
export async function checkComputing(load: () => Promise<Addon> = loadAddon): Promise<Finding[]> {
  try {
    const addon = await load()
    const found: Finding = ok('addon', `version ${addon.version()}, backend ${addon.backend()}, ${addon.steps()} steps`)
    return [found, check('proof', () => proofFault(addon)), check('pulse', () => pulseFault(addon))]
  } catch (error) {
    return [failed('addon', error)]
  }
}

async function loadAddon(): Promise<Addon> {
  const { addon } = await import('../../native/addon.ts')
  return addon()
}

const PASSED = {
  proof: `a proof of chiavdf over ${KNOWN_PROOF.iterations} squarings verifies, is made again byte for byte, and does not verify when altered`,
  pulse: `drand's round ${KNOWN_PULSE.round} verifies, and does not as another round`
} as const

function check(name: keyof typeof PASSED, fault: () => string | undefined): Finding {
  try {
    const detail = fault()
    return detail === undefined ? ok(name, PASSED[name]) : problem(name, `${detail}, by the addon of ${VERSION}`, CURE)
  } catch (error) {
    return failed(name, error)
  }
}

function proofFault(addon: Addon): string | undefined {
  const { seed, bits, iterations, proof } = KNOWN_PROOF
  const discriminant = addon.Discriminant.fromSeed(seed, bits)
  if (!addon.verifyProof(discriminant, null, iterations, proof, 0)) return 'a valid proof does not verify'
  const altered = proof.with(proof.length - 101, proof[proof.length - 101]! ^ 1)
  for (const [wrong, count] of [
    [altered, iterations],
    [proof, iterations + 1]
  ] as const)
    if (addon.verifyProof(discriminant, null, count, wrong, 0)) return 'an invalid proof verifies'
  const evaluation = new addon.Evaluation(discriminant, null, iterations, null, MEMORY_BYTES)
  const stop = new Uint32Array(new SharedArrayBuffer(4))
  evaluation.advance(UNITS_OF_WORK, stop)
  const made = evaluation.proof()
  return made !== null && Buffer.from(made).equals(proof) ? undefined : 'a proof comes out as another one'
}

function pulseFault({ ChainKey }: Addon): string | undefined {
  const { publicKey, round, signature } = KNOWN_PULSE
  const key = new ChainKey(publicKey)
  if (!key.verify(round, signature)) return 'a valid pulse does not verify'
  return key.verify(round + 1, signature) ? 'a pulse verifies as that of another round' : undefined
}
