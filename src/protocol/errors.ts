/**
 * What the rules throw: `rule` names the rule that was broken (a closed set per class), `detail` this case of it in
 * words. API codes are made from them elsewhere.
 */
export class ProtocolError extends Error {
  override readonly name: string = 'ProtocolError'
  readonly rule: string
  readonly detail: string

  constructor(rule: string, detail: string, options?: ErrorOptions) {
    super(`${rule}: ${detail}`, options)
    this.rule = rule
    this.detail = detail
  }
}

/** Bytes or JSON that are not the one encoding of a value of the expected shape. */
export class EncodingError extends ProtocolError {
  override readonly name = 'EncodingError'

  constructor(detail: string, options?: ErrorOptions) {
    super('encoding', detail, options)
  }
}

/** A network profile that does not fit its schema. */
export class ProfileError extends ProtocolError {
  override readonly name = 'ProfileError'

  constructor(detail: string, options?: ErrorOptions) {
    super('profile', detail, options)
  }
}

export type NameErrorKind = 'invalid' | 'reserved' | 'not-open'

/** A name that is not valid in this network, reserved by its profile, or of a length that is not open yet. */
export class NameError extends ProtocolError {
  override readonly name = 'NameError'
  readonly kind: NameErrorKind

  constructor(kind: NameErrorKind, detail: string, options?: ErrorOptions) {
    super(`name-${kind}`, detail, options)
    this.kind = kind
  }
}

/** A master seed or its words that cannot be read. */
export class KeyError extends ProtocolError {
  override readonly name = 'KeyError'

  constructor(detail: string, options?: ErrorOptions) {
    super('key', detail, options)
  }
}

/** The message of anything thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
