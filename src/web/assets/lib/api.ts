/** What the daemon answers, by path: the types of the schemas that it checks by. */
import type {
  BackupView,
  ConfigFieldView,
  CreateKidRequest,
  CreateTokenRequest,
  DnsFlushedBody,
  DnsView,
  Estimate,
  Explanation,
  IdentityLogBody,
  IdentityPublishedBody,
  NetworkStatusView,
  NewTokenBody,
  OwnedNameView,
  OwnIdentityView,
  PeerView,
  ReadinessBody,
  ResolvedIdentityBody,
  RevealBody,
  RotatedTokenBody,
  SeedBody,
  SessionBody,
  SessionOpenedBody,
  TaskStartedBody,
  TaskView,
  TokenView,
  WantedView,
  ZoneBody,
  ZoneCheckedBody,
  ZoneDraft,
  ZonePublishedBody,
  ZoneSavedBody
} from '../../../api/client/types.ts'

export type * from '../../../api/client/types.ts'

interface Answers {
  '/session': SessionBody
  '/readyz': ReadinessBody
  '/api/backup': BackupView
  '/api/config/fields': ConfigFieldView[]
  '/api/dns': DnsView
  '/api/drafts': ZoneDraft[]
  '/api/identities': OwnIdentityView[]
  '/api/names': OwnedNameView[]
  '/api/network-status': NetworkStatusView
  '/api/peers': PeerView[]
  '/api/seed': SeedBody
  '/api/tokens': TokenView[]
  '/api/vdf/tasks': TaskView[]
  '/api/wanted': WantedView[]
}

/** What GET answers there; never for a path that the page does not know. */
export type Answer<P extends string> = P extends keyof Answers
  ? Answers[P]
  : P extends `/api/explain/${string}`
    ? Explanation
    : P extends `/api/resolve-kid/${string}/log`
      ? IdentityLogBody
      : P extends `/api/resolve-kid/${string}`
        ? ResolvedIdentityBody
        : P extends `/api/resolve/${string}`
          ? RevealBody
          : P extends `/api/zone/${string}`
            ? ZoneBody
            : never

/** By path of a POST: what it takes and what it answers. */
interface Posts {
  '/session': [{ token: string } | { link: string }, SessionOpenedBody]
  '/api/config': [object, unknown]
  '/api/dns/flush': [{ name?: string }, DnsFlushedBody]
  '/api/kid': [CreateKidRequest, IdentityPublishedBody]
  '/api/seed/lock': [undefined, unknown]
  '/api/seed/unlock': [{ passphrase: string }, unknown]
  '/api/publish-kid': [object, IdentityPublishedBody]
  '/api/publish-manifest': [object, IdentityPublishedBody]
  '/api/tokens': [CreateTokenRequest, NewTokenBody]
  '/api/tokens/rotate': [undefined, RotatedTokenBody]
  '/api/vdf/estimate': [{ name: string }, Estimate]
  '/api/vdf/register': [{ name: string }, TaskStartedBody]
  '/api/vdf/renew': [{ name: string }, TaskStartedBody]
  '/api/wanted': [{ id: string }, WantedView]
}

interface Records {
  records: ZoneBody['records']
}
type Posted<P extends string> = P extends keyof Posts
  ? Posts[P]
  : P extends `/api/names/${string}/release`
    ? [undefined, OwnedNameView]
    : P extends `/api/vdf/tasks/${string}/${'pause' | 'resume'}`
      ? [undefined, TaskView]
      : P extends `/api/zone/${string}/publish`
        ? [undefined, ZonePublishedBody]
        : P extends `/api/zone/${string}/check`
          ? [Records, ZoneCheckedBody]
          : P extends `/api/zone/${string}`
            ? [Records, ZoneSavedBody]
            : [never, never]

export type Post = <P extends string>(
  path: P,
  body?: Posted<P>[0],
  headers?: Readonly<Record<string, string>>
) => Promise<Posted<P>[1]>
