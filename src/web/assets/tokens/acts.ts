import type { TokenView } from '../lib/api.ts'
import { get, post, remove } from '../lib/http.ts'
import { refresh } from '../lib/resource.ts'
import { logIn } from '../lib/session.ts'
import { ask } from '../parts/dialog.ts'
import { toast } from '../parts/toasts.ts'

export async function revoke({ id, label, scopes }: TokenView): Promise<void> {
  const isSure = await ask({
    title: `Revoke ${label === null ? 'this token' : `"${label}"`}?`,
    lines: [`A program that uses it is refused at once. Its scopes: ${scopes.join(', ')}.`],
    yes: 'Revoke',
    no: 'Keep it',
    isDanger: true
  })
  if (!isSure) return
  await remove(`/api/tokens/${encodeURIComponent(id)}`)
  await refresh('/api/tokens')
  toast('The token is revoked.')
}

/** The new main token, undefined where the person decides against it. */
export async function rotate(): Promise<string | undefined> {
  const isSure = await ask({
    title: 'Replace the main token?',
    lines: [
      'The old one stops at once, for every program that uses it.',
      'So do other sessions that it opened; this one goes on. The new token is shown once, and is in its file.'
    ],
    yes: 'Replace it',
    no: 'Keep it',
    isDanger: true
  })
  if (!isSure) return undefined
  const { token } = await post('/api/tokens/rotate')
  // A session that the old one opened has ended with it, and the new token could not be shown.
  const { scopes } = await get('/session')
  if (scopes.length === 0) await logIn(token)
  return token
}
