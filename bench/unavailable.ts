/** A figure lacks what it needs: a peer that can't be built, a second CPU. The message names the cure. */
export class Unavailable extends Error {
  override readonly name = 'Unavailable'
}
