/** The kernel and the judges of documents, without threads. */
import type { DocumentJudge, Evaluation, NativePool, ProofQuestion, StampQuestion } from '../../src/native/types.ts'
import { judgeIdentity, judgeManifest, judgeSpeaker } from '../../src/protocol/identity/judge-documents.ts'
import type { NetworkProfile } from '../../src/protocol/profile/profile.ts'
import { modelProof } from '../protocol/fixtures.ts'
import { FakePool } from './claims/fakes.ts'
import { profile } from './test-profile.ts'

/** A pool of modelled proofs: wrong inputs still give proofs that do not verify. */
export class FakeWorkers
  extends FakePool
  implements
    Pick<NativePool, 'missingAddon' | 'evaluate' | 'verifyProof' | 'searchStamp' | 'measureRate' | 'plannedWork'>,
    DocumentJudge
{
  breakProofs = false
  missingAddon: string | undefined
  /** When set, evaluations end at once. */
  instant = true

  constructor() {
    super()
    this.onEvaluate = (evaluation) => {
      if (this.instant) evaluation.finish({ kind: 'proof', proof: this.proofFor(evaluation.request) })
    }
  }
  proofFor({ seed, iterations }: Pick<Evaluation, 'seed' | 'iterations'>): Uint8Array {
    const proof = modelProof(seed, iterations, profile)
    if (this.breakProofs) proof[0]! ^= 1
    return proof
  }
  /** Ends the newest evaluation with its proof. */
  prove(): void {
    const evaluation = this.evaluations.at(-1)!
    evaluation.finish({ kind: 'proof', proof: this.proofFor(evaluation.request) })
  }
  verifyProof({ seed, iterations, proof }: ProofQuestion): Promise<boolean> {
    return Promise.resolve(Buffer.from(modelProof(seed, iterations, profile)).equals(proof))
  }
  searchStamp({ signal }: StampQuestion): Promise<Uint8Array> {
    signal?.throwIfAborted()
    return Promise.resolve(new Uint8Array(8))
  }
  /** A tenth of the squarings for the proof. */
  plannedWork({ iterations }: { iterations: number }): Promise<number> {
    return Promise.resolve(1.1 * iterations)
  }
  measureRate(): Promise<number> {
    return Promise.resolve(1_000_000)
  }
  judgeIdentity(record: Uint8Array, profile: NetworkProfile): ReturnType<DocumentJudge['judgeIdentity']> {
    return Promise.resolve(judgeIdentity(record, profile))
  }
  judgeManifest(record: Uint8Array, profile: NetworkProfile): ReturnType<DocumentJudge['judgeManifest']> {
    return Promise.resolve(judgeManifest(record, profile))
  }
  judgeSpeaker(
    manifest: Uint8Array,
    identity: Uint8Array,
    profile: NetworkProfile
  ): ReturnType<DocumentJudge['judgeSpeaker']> {
    return Promise.resolve(judgeSpeaker(manifest, identity, profile))
  }
}
