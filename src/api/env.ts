import type { IncomingMessage, ServerResponse } from 'node:http'
import type { TokenScope } from './services.ts'

/** Who asks: nobody known, or the holder of a token or of a dashboard session. */
export interface Caller {
  readonly via: 'none' | 'token' | 'session'
  readonly scopes: readonly TokenScope[]
  /** Whose rate limit it counts to: the token, its own or the session's; undefined for nobody known. */
  readonly token: string | undefined
  /** False once the token was revoked or replaced, or the session has ended. For long-lived answers. */
  isCurrent(): boolean
}

export interface AppEnv {
  Bindings: {
    /** Present when served over a socket; absent under `app.request()`. */
    incoming?: IncomingMessage
    outgoing?: ServerResponse
    /** It came by the UNIX socket, which has no address. */
    isUnixSocket?: boolean
  }
  Variables: {
    requestId: string
    caller: Caller
    /** The page that asks is of an origin in `api.allowed_origins`. */
    isAllowedOrigin?: boolean
    /** The answer has the common headers. */
    hasBaseline?: boolean
  }
}
