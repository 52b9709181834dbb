/** Changing the configuration, with the questions that come before. */
import type { ConfigFieldView } from '../lib/api.ts'
import { post, remove } from '../lib/http.ts'
import { refresh } from '../lib/resource.ts'
import { ask } from '../parts/dialog.ts'
import { toast } from '../parts/toasts.ts'
import { patchOf, shownText } from './fields.ts'
import { changeQuestion } from './questions.ts'

const shown = () => refresh('/api/config', '/api/network-status', '/api/names')

/** True once saved; false where the person decides against it. */
export async function save({ field, value }: ConfigFieldView, next: unknown): Promise<boolean> {
  const question = changeQuestion(field, value, next)
  if (question !== null && !(await ask(question))) return false
  await post('/api/config', patchOf(field, next))
  await shown()
  toast(`${field} is now ${shownText(next)}.`)
  return true
}

export async function takeBack({ field, value }: ConfigFieldView, otherwise: unknown): Promise<void> {
  const question = changeQuestion(field, value, otherwise)
  if (question !== null && !(await ask(question))) return
  await remove(`/api/config/${encodeURIComponent(field)}`)
  await shown()
  toast(`${field} is ${shownText(otherwise)} again.`)
}
