import { html } from '../lib/html.ts'

/** Strokes on a grid of 24. */
const PATHS = {
  home: 'M4 11l8-7 8 7v8a1 1 0 0 1-1 1h-4v-6h-6v6H5a1 1 0 0 1-1-1z',
  tasks: 'M12 4a8 8 0 1 0 8 8M12 8v4l3 2M16 4h4v4',
  names: 'M4 6h9l7 6-7 6H4zM8.5 12h.01',
  zone: 'M5 5h14v14H5zM5 10h14M10 10v9',
  lookup: 'M10.5 4.5a6 6 0 1 1 0 12 6 6 0 0 1 0-12M15 15l5 5',
  identities: 'M12 4.5a3.5 3.5 0 1 1 0 7 3.5 3.5 0 0 1 0-7M5 20c0-4 3-6 7-6s7 2 7 6',
  network: 'M12 9a3 3 0 1 1 0 6 3 3 0 0 1 0-6M12 9V4M14.6 13.5L19 16M9.4 13.5L5 16',
  settings: 'M4 7h9M17 7h3M4 17h3M11 17h9M15 5v4M9 15v4',
  tokens: 'M8 9a4 4 0 1 1 0 8 4 4 0 0 1 0-8M11 10l8-6M15 7l3 3',
  seed: 'M12 3.5l7 3v5c0 4.5-3 7.5-7 9-4-1.5-7-4.5-7-9v-5zM9 12l2 2 4-4',
  events: 'M4 12h4l2-6 4 12 2-6h4',
  menu: 'M4 7h16M4 12h16M4 17h16',
  close: 'M6 6l12 12M18 6L6 18',
  sun:
    'M12 8a4 4 0 1 1 0 8 4 4 0 0 1 0-8M12 2.5v2M12 19.5v2M2.5 12h2M19.5 12h2' +
    'M5.3 5.3l1.4 1.4M17.3 17.3l1.4 1.4M18.7 5.3l-1.4 1.4M6.7 17.3l-1.4 1.4',
  moon: 'M19.5 14.5A8 8 0 0 1 9.5 4.5a8 8 0 1 0 10 10z',
  auto: 'M12 4a8 8 0 1 1 0 16 8 8 0 0 1 0-16M12 4v16M12 8h5M12 12h8M12 16h5',
  logout: 'M14 5H5v14h9M10 12h10M17 9l3 3-3 3',
  plus: 'M12 5v14M5 12h14',
  copy: 'M9 9h10v10H9zM5 15V5h10',
  check: 'M5 12.5l4.5 4.5L19 7.5',
  warn: 'M12 4l9 16H3zM12 10v4M12 17h.01',
  bad: 'M12 4a8 8 0 1 1 0 16 8 8 0 0 1 0-16M12 8v5M12 16h.01',
  info: 'M12 4a8 8 0 1 1 0 16 8 8 0 0 1 0-16M12 11v5M12 8h.01',
  trash: 'M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13',
  pause: 'M9 6v12M15 6v12',
  play: 'M8 5l11 7-11 7z',
  renew: 'M19 8a8 8 0 1 0 1 5M20 4v5h-5',
  edit: 'M4 20h4L19 9l-4-4L4 16z',
  out: 'M10 5H5v14h14v-5M13 4h7v7M20 4l-9 9'
} as const
export type IconName = keyof typeof PATHS

/** Decoration: the text beside it, or the label of its button, says what it means. */
export const Icon = ({ name }: { name: IconName }) => html`
  <svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
    <path d=${PATHS[name]} />
  </svg>
`
