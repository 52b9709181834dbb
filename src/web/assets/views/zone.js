import { html } from '../lib/html.js'
import { Page } from '../parts/basics.js'

const View = () => html`<${Page} title="Zone" />`

export const view = { path: '/names/:name', title: 'Zone', icon: 'zone', isHidden: true, View }
