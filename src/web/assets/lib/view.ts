import type { IconName } from '../parts/icon.ts'
import type { Children } from './html.ts'

/** What the page shows at an address: docs/dashboard.md. */
export interface View {
  readonly path: string
  readonly title: string
  readonly icon: IconName
  /** Reached from others, not from the navigation. */
  readonly isHidden?: boolean
  readonly View: (props: ViewProps) => Children
}

export interface ViewProps {
  /** Of the path, such as `name` of `/names/:name`. */
  readonly params: Params
  readonly query: Readonly<Record<string, string>>
}

/** Those that paths of views have. */
interface Params {
  readonly name?: string
  readonly did?: string
}
