import type { TokenScope } from './api.ts'
import { startEvents, stopEvents } from './events.ts'
import { createStore, useStore } from './html.ts'
import * as http from './http.ts'
import { forgetResources } from './resource.ts'

/**
 * `scopes`: of the token that this tab is logged in with, undefined while that is not known, [] for none. `reason`:
 * why the page asks for a token.
 */
export const session = createStore<{ scopes: readonly TokenScope[] | undefined; reason: string }>({
  scopes: undefined,
  reason: ''
})

function enter(scopes: readonly TokenScope[]): void {
  session.set({ scopes, reason: '' })
  if (scopes.includes('read') || scopes.includes('admin')) startEvents()
}

function leave(reason: string): void {
  stopEvents()
  forgetResources()
  session.set({ scopes: [], reason })
}

/** Asks the daemon who we are; a page that was loaded again goes on. `link`: of a login link, which logs in first. */
export async function resume(link: string | undefined): Promise<void> {
  let reason = ''
  if (link !== undefined) {
    try {
      enter(await http.logIn({ link }))
      return
    } catch (error) {
      if (!(error instanceof http.Problem)) throw error
      reason = error.detail
    }
  }
  const { scopes } = await http.get('/session')
  if (scopes.length > 0) enter(scopes)
  else leave(reason)
}

export async function logIn(token: string): Promise<void> {
  enter(await http.logIn({ token }))
}

export async function logOut(): Promise<void> {
  await http.logOut()
  leave('')
}

http.whenLoggedOut(() => {
  if (session.get().scopes?.length !== 0)
    leave('The session has ended: it lasts 12 hours, and a restart of the daemon ends it. Log in again to go on.')
})

/** May this session do what needs that scope? `admin` may do all. */
export function useMay(scope: TokenScope): boolean {
  const { scopes = [] } = useStore(session)
  return scopes.includes('admin') || scopes.includes(scope)
}
