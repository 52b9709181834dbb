import { html } from '../lib/html.js'
import { Page } from '../parts/basics.js'

const View = () => html`<${Page} title="Look up" />`

export const view = { path: '/lookup/:name?', title: 'Look up', icon: 'lookup', View }
