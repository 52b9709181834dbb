import { html } from '../lib/html.js'
import { Page } from '../parts/basics.js'

const View = () => html`<${Page} title="Backup & seed" />`

export const view = { path: '/seed', title: 'Backup & seed', icon: 'seed', View }
