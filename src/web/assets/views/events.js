import { html } from '../lib/html.js'
import { Page } from '../parts/basics.js'

const View = () => html`<${Page} title="Events" />`

export const view = { path: '/events', title: 'Events', icon: 'events', View }
