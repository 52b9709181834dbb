import { connection } from './lib/connection.js'
import { html, render } from './lib/html.js'
import { resume, session } from './lib/session.js'
import { toastError } from './parts/toasts.js'
import { App } from './shell/app.js'

render(html`<${App} />`, document.getElementById('app'))

const enter = () => resume().catch(toastError)
connection.subscribe(({ isLost }) => {
  if (!isLost && session.get().scopes === undefined) void enter()
})
await enter()
