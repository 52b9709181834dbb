/** Every view of the dashboard. The first whose path fits is shown; those with a title are in the navigation. */
import * as events from './views/events.js'
import * as home from './views/home.js'
import * as identities from './views/identities.js'
import * as lookup from './views/lookup.js'
import * as names from './views/names.js'
import * as network from './views/network.js'
import * as seed from './views/seed.js'
import * as settings from './views/settings.js'
import * as tasks from './views/tasks.js'
import * as tokens from './views/tokens.js'
import * as zone from './views/zone.js'

/** Each `{path, title, icon, View, isHidden?}`: docs/dashboard.md. Hidden ones are reached from others. */
export const VIEWS = [home, names, zone, tasks, lookup, identities, network, events, seed, tokens, settings].map(
  (module) => module.view
)
