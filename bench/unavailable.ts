/**
 * Something that a figure needs is not here: another side that can't be built, a second CPU. The message names the
 * cure.
 */
export class Unavailable extends Error {
  override readonly name = 'Unavailable'
}
