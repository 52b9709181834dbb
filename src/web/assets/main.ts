import { html, render } from './lib/html.ts'
import { connection } from './lib/http.ts'
import { takeLoginLink } from './lib/router.ts'
import { resume, session } from './lib/session.ts'
import { toastError } from './parts/act.ts'
import { App } from './shell/app.ts'

let link = takeLoginLink(window)
render(html`<${App} />`, document.getElementById('app')!)

/** A link that no daemon got is tried again once it answers. */
const enter = () =>
  resume(link)
    .then(() => void (link = undefined))
    .catch(toastError)
connection.subscribe(({ isLost }) => {
  if (!isLost && session.get().scopes === undefined) void enter()
})
// A link that is opened in a tab of the dashboard loads no page.
addEventListener('hashchange', () => {
  link = takeLoginLink(window)
  if (link !== undefined) void enter()
})
await enter()
