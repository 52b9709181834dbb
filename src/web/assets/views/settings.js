import { html } from '../lib/html.js'
import { Page } from '../parts/basics.js'

const View = () => html`<${Page} title="Settings" />`

export const view = { path: '/settings', title: 'Settings', icon: 'settings', View }
