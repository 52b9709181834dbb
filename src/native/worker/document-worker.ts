/**
 * The pool's functions for documents, as in worker.ts: a file of its own, so that only threads that judge documents
 * load its imports.
 */
import {
  judgeIdentity as identity,
  judgeManifest as manifest,
  judgeSpeaker as speaker
} from '../../protocol/identity/judge-documents.ts'
import { answer, type Answer, type WorkerCalls } from './requests.ts'

type Request<K extends keyof WorkerCalls> = WorkerCalls[K]['request']
type Reply<K extends keyof WorkerCalls> = Answer<WorkerCalls[K]['value']>

export function judgeIdentity({ record, profile }: Request<'judgeIdentity'>): Reply<'judgeIdentity'> {
  return answer(() => identity(record, profile))
}

export function judgeManifest({ record, profile }: Request<'judgeManifest'>): Reply<'judgeManifest'> {
  return answer(() => manifest(record, profile))
}

export function judgeSpeaker({ record, identity: log, profile }: Request<'judgeSpeaker'>): Reply<'judgeSpeaker'> {
  return answer(() => speaker(record, log, profile))
}
