import { html } from '../lib/html.js'
import { Page } from '../parts/basics.js'

const View = () => html`<${Page} title="Tasks" />`

export const view = { path: '/tasks', title: 'Tasks', icon: 'tasks', View }
