/**
 * The secret of `#login=SECRET`, as `chronym dashboard` opens the page; undefined where the address has none. Removes
 * it from the address and from the history of the tab at once.
 */
export function takeLoginLink({ location, history }: Pick<Window, 'location' | 'history'>): string | undefined {
  if (!location.hash.startsWith('#login=')) return undefined
  const link = location.hash.slice('#login='.length)
  history.replaceState(null, '', `${location.pathname}#/`)
  return link
}
