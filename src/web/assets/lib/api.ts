/** What the daemon answers, by path: the types of the schemas that it checks by. */
import type * as Api from '../../../api/client/types.ts'

export type * from '../../../api/client/types.ts'

interface Answers {
  '/session': Api.SessionBody
  '/readyz': Api.ReadinessBody
  '/api/backup': Api.BackupView
  '/api/config/fields': Api.ConfigFieldView[]
  '/api/dns': Api.DnsView
  '/api/drafts': Api.ZoneDraft[]
  '/api/farm': Api.FarmView
  '/api/identities': Api.OwnIdentityView[]
  '/api/names': Api.OwnedNameView[]
  '/api/network-status': Api.NetworkStatusView
  '/api/peers': Api.PeerView[]
  '/api/seed': Api.SeedBody
  '/api/tokens': Api.TokenView[]
  '/api/vdf/tasks': Api.TaskView[]
  '/api/wanted': Api.WantedView[]
}

/** What GET answers there; never for a path that the page does not know. */
export type Answer<P extends string> = P extends keyof Answers
  ? Answers[P]
  : P extends `/api/names/${string}/keys`
    ? Api.KeysView
    : P extends `/api/explain/${string}`
      ? Api.Explanation
      : P extends `/api/resolve-kid/${string}/log`
        ? Api.IdentityLogBody
        : P extends `/api/resolve-kid/${string}`
          ? Api.ResolvedIdentityBody
          : P extends `/api/resolve/${string}`
            ? Api.RevealBody
            : P extends `/api/zone/${string}`
              ? Api.ZoneBody
              : never

/** By path of a POST: what it takes and what it answers. */
interface Posts {
  '/session': [{ token: string } | { link: string }, Api.SessionOpenedBody]
  '/api/config': [object, unknown]
  '/api/dns/flush': [{ name?: string }, Api.DnsFlushedBody]
  '/api/kid': [Api.CreateKidRequest, Api.IdentityPublishedBody]
  '/api/seed/lock': [undefined, unknown]
  '/api/seed/unlock': [{ passphrase: string }, unknown]
  '/api/publish-kid': [object, Api.IdentityPublishedBody]
  '/api/publish-manifest': [object, Api.IdentityPublishedBody]
  '/api/tokens': [Api.CreateTokenRequest, Api.NewTokenBody]
  '/api/tokens/rotate': [undefined, Api.RotatedTokenBody]
  '/api/vdf/estimate': [{ name: string }, Api.Estimate]
  '/api/vdf/register': [{ name: string }, Api.TaskStartedBody]
  '/api/vdf/renew': [{ name: string }, Api.TaskStartedBody]
  '/api/wanted': [{ id: string }, Api.WantedView]
}

type Records = Pick<Api.ZoneBody, 'records'>
type Posted<P extends string> = P extends keyof Posts
  ? Posts[P]
  : P extends `/api/names/${string}/release`
    ? [undefined, Api.OwnedNameView]
    : P extends `/api/vdf/tasks/${string}/${'pause' | 'resume'}`
      ? [undefined, Api.TaskView]
      : P extends `/api/vdf/tasks/${string}/move`
        ? [{ place: Api.TaskPlace }, Api.TaskView]
        : P extends `/api/zone/${string}/publish`
          ? [undefined, Api.ZonePublishedBody]
          : P extends `/api/zone/${string}/check`
            ? [Records, Api.ZoneCheckedBody]
            : P extends `/api/zone/${string}`
              ? [Records, Api.ZoneSavedBody]
              : [never, never]

export type Post = <P extends string>(
  path: P,
  body?: Posted<P>[0],
  headers?: Readonly<Record<string, string>>
) => Promise<Posted<P>[1]>
