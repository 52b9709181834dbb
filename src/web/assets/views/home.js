import { html } from '../lib/html.js'
import { Page } from '../parts/basics.js'

const View = () => html`<${Page} title="Home" />`

export const view = { path: '/', title: 'Home', icon: 'home', View }
