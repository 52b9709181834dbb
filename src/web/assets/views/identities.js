import { html } from '../lib/html.js'
import { Page } from '../parts/basics.js'

const View = () => html`<${Page} title="Identities" />`

export const view = { path: '/identities/:did?', title: 'Identities', icon: 'identities', View }
