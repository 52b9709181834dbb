/** Every view of the dashboard. The first whose path fits is shown; those with a title are in the navigation. */
import type { View } from './lib/view.ts'
import * as events from './views/events.ts'
import * as home from './views/home.ts'
import * as identities from './views/identities.ts'
import * as lookup from './views/lookup.ts'
import * as names from './views/names.ts'
import * as network from './views/network.ts'
import * as seed from './views/seed.ts'
import * as settings from './views/settings.ts'
import * as tasks from './views/tasks.ts'
import * as tokens from './views/tokens.ts'
import * as zone from './views/zone.ts'

export const VIEWS: readonly View[] = [
  home,
  names,
  zone,
  tasks,
  lookup,
  identities,
  network,
  events,
  seed,
  tokens,
  settings
].map((module) => module.view)
