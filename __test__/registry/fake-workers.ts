/** The kernel and the judges of documents, without threads. */
import type { DocumentJudge, Evaluation, NativePool, ProofQuestion, StampQuestion } from '../../src/native/types.ts'
import { sha256 } from '../../src/protocol/encoding/bytes.ts'
import { judgeIdentity, judgeManifest, judgeSpeaker } from '../../src/protocol/identity/judge-documents.ts'
import type { NetworkProfile } from '../../src/protocol/profile/profile.ts'
import { FakePool } from './claims/fakes.ts'

/** A pool whose proofs are hashes of their question: wrong inputs still give proofs that do not verify. */
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
    const digest = sha256(seed, Buffer.from(String(iterations)))
    const proof = Buffer.alloc(200, digest)
    if (this.breakProofs) proof[0]! ^= 1
    return new Uint8Array(proof)
  }
  /** Ends the newest evaluation with its proof. */
  prove(): void {
    const evaluation = this.evaluations.at(-1)!
    evaluation.finish({ kind: 'proof', proof: this.proofFor(evaluation.request) })
  }
  verifyProof({ seed, iterations, proof }: ProofQuestion): Promise<boolean> {
    const digest = sha256(seed, Buffer.from(String(iterations)))
    return Promise.resolve(Buffer.alloc(200, digest).equals(proof))
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
