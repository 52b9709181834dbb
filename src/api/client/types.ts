/** The shapes of requests and answers: those of the schemas that the daemon checks them by. */
import type {
  CommittedBody,
  IdentityPublishedBody,
  ProblemBody,
  StoredBody,
  ZonePublishedBody
} from '../schemas/common.ts'
import type {
  ChallengeBody,
  ConfigBody,
  ConfigFieldView,
  CreateTokenRequest,
  DaemonEvent,
  DnsFlushedBody,
  HealthBody,
  LoginLinkBody,
  NewTokenBody,
  ReadinessBody,
  RotatedTokenBody,
  SeedBody,
  SessionBody,
  SessionOpenedBody,
  TokenScope,
  TokenView
} from '../schemas/daemon.ts'
import type { CreateKidRequest, IdentityLogBody, ResolvedIdentityBody } from '../schemas/identity.ts'
import type { BackupView } from '../../views/backup.ts'
import type { DnsView } from '../../views/dns.ts'
import type { Explanation } from '../../views/explanation.ts'
import type { OwnedNameView, OwnIdentityView, WantedView, ZoneDraft } from '../../views/own.ts'
import type { NetworkStatusView, PeerView } from '../../views/network.ts'
import type { PinnedCodesView, PinView } from '../../views/pin.ts'
import type { CommitRequest, PublishRequest, RevealBody, TaskStartedBody } from '../schemas/names.ts'
import type { Estimate, TaskView } from '../../views/task.ts'
import type { ZoneBody, ZoneCheckedBody, ZonePatchBody, ZoneSavedBody } from '../schemas/zone.ts'
export type {
  BackupView,
  ChallengeBody,
  CommitRequest,
  CommittedBody,
  ConfigBody,
  ConfigFieldView,
  CreateKidRequest,
  CreateTokenRequest,
  Estimate,
  DaemonEvent,
  DnsFlushedBody,
  DnsView,
  Explanation,
  HealthBody,
  IdentityLogBody,
  IdentityPublishedBody,
  NetworkStatusView,
  LoginLinkBody,
  NewTokenBody,
  OwnedNameView,
  OwnIdentityView,
  PeerView,
  PinnedCodesView,
  PinView,
  ProblemBody,
  PublishRequest,
  ReadinessBody,
  ResolvedIdentityBody,
  RevealBody,
  RotatedTokenBody,
  SeedBody,
  SessionBody,
  SessionOpenedBody,
  StoredBody,
  TaskView,
  TaskStartedBody,
  TokenScope,
  TokenView,
  WantedView,
  ZoneBody,
  ZoneCheckedBody,
  ZoneDraft,
  ZonePatchBody,
  ZonePublishedBody,
  ZoneSavedBody
}

export interface RequestOptions {
  readonly signal?: AbortSignal | undefined
  /** Of this request, in place of the client's (ClientOptions); Infinity for none. */
  readonly timeoutMs?: number | undefined
}

export interface StartOptions extends RequestOptions {
  readonly zone?: ZoneBody | undefined
  /** The same key within a day means the same task: send it again after an answer that got lost. */
  readonly idempotencyKey?: string | undefined
}

/** For what may have changed since it was read: its ETag. SVC-ZON-004 where it has. */
export interface WriteOptions extends RequestOptions {
  readonly ifMatch?: string | undefined
}

export interface StreamOptions {
  /** Ends the stream, without an error. */
  readonly signal?: AbortSignal | undefined
  /** The id of the last event seen: those after it come first, as far as the daemon still has them. */
  readonly lastEventId?: string | undefined
  /** Called at each connection that failed or ended, before the pause. */
  readonly onLost?: (() => void) | undefined
}

export interface TaskEventMessage {
  readonly id: number
  readonly type: 'progress' | 'phase' | 'completed' | 'failed'
  readonly task: TaskView
}

export interface DaemonEventMessage {
  readonly id: string
  readonly event: DaemonEvent
}

export type ZoneSource = 'local' | 'network' | 'own' | 'held'

export interface ZoneAnswer {
  readonly zone: ZoneBody
  /** `own`, `held`: no peer answered, and the daemon has the record itself. */
  readonly source: ZoneSource
  readonly state: 'draft' | 'published'
  /** For `ifMatch`. */
  readonly etag: string
}
