/** Whether the addon loads, is of this version and computes what others computed. */
import type { Addon } from '../../native/addon.ts'
import { INSTALL_AGAIN } from '../../native/platform.ts'
import { VERSION } from '../../version.ts'
import { failed, type Finding } from '../findings.ts'
import { KNOWN_PROOF, KNOWN_PULSE } from './known-answers.ts'

const CURE = `${INSTALL_AGAIN} If it fails again, report it with \`chronym vdf bench\`.`

/** Enough for squaring and proof of the known answer in one go. */
const UNITS_OF_WORK = 1_000_000
const MEMORY_BYTES = 16 * 2 ** 20

/** The other findings need the addon: there are none without it. */
export async function checkComputing(load: () => Promise<Addon> = loadAddon): Promise<Finding[]> {
  try {
    const addon = await load()
    const found: Finding = {
      name: 'addon',
      state: 'ok',
      detail: `version ${addon.version()}, backend ${addon.backend()}, ${addon.steps()} steps`
    }
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
    return detail === undefined
      ? { name, state: 'ok', detail: PASSED[name] }
      : { name, state: 'failed', detail: `${detail}, by the addon of ${VERSION}`, cure: CURE }
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
