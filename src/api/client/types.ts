/** The shapes of requests and answers: those of the schemas that the daemon checks them by. */
import type { TaskView } from '../../views/task.ts'
import type { DaemonEvent } from '../schemas/daemon.ts'
import type { ZoneBody } from '../schemas/zone.ts'

export type { BackupView } from '../../views/backup.ts'
export type { ConfigFieldView } from '../../views/config.ts'
export type { DnsView, KeyedHostView } from '../../views/dns.ts'
export type { FarmView } from '../../views/farm.ts'
export type { Explanation } from '../../views/explanation.ts'
export type { ChangeWordsView, KeysView, OfferView } from '../../views/keys.ts'
export type { NetworkStatusView, PeerClockView, PeerView } from '../../views/network.ts'
export type { OwnIdentityView, OwnedNameView, WantedView, ZoneDraft } from '../../views/own.ts'
export type { FollowedListsView, PinView, PinnedCodesView } from '../../views/pin.ts'
export type { ReadinessBody } from '../../views/readiness.ts'
export type { Estimate, TaskPlace, TaskView } from '../../views/task.ts'
export type {
  CommittedBody,
  IdentityPublishedBody,
  ProblemBody,
  StoredBody,
  ZonePublishedBody
} from '../schemas/common.ts'
export type {
  ChallengeBody,
  ConfigBody,
  CreateTokenRequest,
  DaemonEvent,
  DnsFlushedBody,
  HealthBody,
  KeyedHostForgottenBody,
  LoginLinkBody,
  NewTokenBody,
  RotatedTokenBody,
  SeedBody,
  SessionBody,
  SessionOpenedBody,
  TokenScope,
  TokenView
} from '../schemas/daemon.ts'
export type { CreateKidRequest, IdentityLogBody, ResolvedIdentityBody } from '../schemas/identity.ts'
export type {
  AcceptRequest,
  CommitRequest,
  FollowRequest,
  PublishRequest,
  RevealBody,
  TaskStartedBody
} from '../schemas/names.ts'
export type { ZoneBody, ZoneCheckedBody, ZonePatchBody, ZoneSavedBody } from '../schemas/zone.ts'

export interface RequestOptions {
  readonly signal?: AbortSignal | undefined
  /** For this request, in place of the client's (ClientOptions); Infinity for none. */
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
