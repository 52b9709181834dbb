import type { Context } from 'hono'
import type { AppEnv } from '../http/request.ts'
import { setBaseline } from '../http/response.ts'
import type { ApiServices } from '../services.ts'
import { accessLog } from './access-log.ts'
import { identifyRequest } from './baseline.ts'
import { createGuard, type GuardOptions } from './guard.ts'
import { allowOrigin } from './origin-guard.ts'

type Answer = Response | Promise<Response>
export type Attend = (c: Context<AppEnv, string>, route: (c: Context<AppEnv, string>) => Answer) => Answer

interface AttendOptions extends GuardOptions {
  readonly services: ApiServices
  readonly onError: (thrown: unknown, c: Context<AppEnv>) => Response
}

/**
 * Everything around a route: identifier, guards, what every answer says, log. Plain calls: what a route answers at once
 * reaches the socket at once, where each of Hono's middlewares costs a turn of promises. Never throws: what is thrown
 * inside is answered by `onError`.
 */
export function createAttend({ onError, ...options }: AttendOptions): Attend {
  const { isForeign, admit } = createGuard(options)
  const allow = allowOrigin()
  const log = accessLog(options.services)

  function caught(c: Context<AppEnv>, run: () => Answer): Answer {
    try {
      const answer = run()
      return answer instanceof Promise ? answer.catch((error: unknown) => onError(error, c)) : answer
    } catch (error) {
      return onError(error, c)
    }
  }

  return (c, route) => {
    const started = performance.now()
    const overSocket = (c.env as AppEnv['Bindings'] | undefined)?.outgoing !== undefined
    identifyRequest(c)
    if (!overSocket) setBaseline(c)
    const admitted = (): Answer => {
      admit(c)
      return route(c)
    }
    const end = (response: Response): Response => {
      if (overSocket) setBaseline(c)
      log(c, started, response.status)
      return response
    }
    const answer = caught(c, () => {
      if (!isForeign(c)) return admitted()
      c.set('isAllowedOrigin', true)
      // Preflights are answered there, and refusals carry the headers that a page needs to read them.
      const inner = async (): Promise<void> => {
        c.res = await caught(c, admitted)
      }
      return Promise.resolve(allow(c, inner)).then((preflight) => (preflight as Response | undefined) ?? c.res)
    })
    return answer instanceof Promise ? answer.then(end) : end(answer)
  }
}
