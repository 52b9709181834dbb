/** Judges documents at once: no other thread does it here. */
import type { DocumentJudge } from '../../../src/native/types.ts'
import { judgeIdentity, judgeManifest, judgeSpeaker } from '../../../src/protocol/identity/judge-documents.ts'

export const judgeHere: DocumentJudge = {
  judgeIdentity: (record, profile) => Promise.resolve(judgeIdentity(record, profile)),
  judgeManifest: (record, profile) => Promise.resolve(judgeManifest(record, profile)),
  judgeSpeaker: (manifest, identity, profile) => Promise.resolve(judgeSpeaker(manifest, identity, profile))
}
