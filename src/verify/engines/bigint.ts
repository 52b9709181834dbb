/** The engine in plain TypeScript, for browsers and where no addon loads. */
import { verifyPulse } from '../../vdf/pulse.ts'
import { verifyQuestion } from '../../vdf/verify.ts'
import type { Engine } from '../types.ts'

export const bigintEngine: Engine = { backend: 'bigint', verifyVdf: verifyQuestion, verifyPulse }
