import { html } from '../lib/html.js'
import { Page } from '../parts/basics.js'

const View = () => html`<${Page} title="Tokens" />`

export const view = { path: '/tokens', title: 'Tokens', icon: 'tokens', View }
