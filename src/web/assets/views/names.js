import { html } from '../lib/html.js'
import { Page } from '../parts/basics.js'

const View = () => html`<${Page} title="Names" />`

export const view = { path: '/names', title: 'Names', icon: 'names', View }
