import { html } from '../lib/html.js'
import { Page } from '../parts/basics.js'

const View = () => html`<${Page} title="Network" />`

export const view = { path: '/network', title: 'Network', icon: 'network', View }
