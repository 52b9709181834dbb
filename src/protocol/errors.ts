/**
 * The base of deliberate errors below the use cases: `code` is one of a closed set of its part. src/service-errors.ts
 * maps each to a code of the error table.
 */
export abstract class PartError<Part extends string = string, Code extends string = string> extends Error {
  abstract readonly part: Part
  readonly code: Code

  constructor(code: Code, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

/** `rule`: any rule without a class of its own. */
type ProtocolErrorCode =
  'rule' | 'encoding' | 'profile' | 'key' | 'identity' | 'zone' | `name-${'invalid' | 'reserved' | 'not-open'}`

export class ProtocolError extends PartError<'protocol', ProtocolErrorCode> {
  override readonly name: string = 'ProtocolError'
  override readonly part = 'protocol'
  readonly rule: string
  readonly detail: string

  constructor(rule: string, detail: string, options?: ErrorOptions, code: ProtocolErrorCode = 'rule') {
    super(code, `${rule}: ${detail}`, options)
    this.rule = rule
    this.detail = detail
  }
}

/** Bytes or JSON that are not the one encoding of a value of the expected shape. */
export class EncodingError extends ProtocolError {
  override readonly name = 'EncodingError'

  constructor(detail: string, options?: ErrorOptions) {
    super('encoding', detail, options, 'encoding')
  }
}

export class ProfileError extends ProtocolError {
  override readonly name = 'ProfileError'

  constructor(detail: string) {
    super('profile', detail, undefined, 'profile')
  }
}

/** A name that is invalid in this network, reserved by its profile, or of a length not open yet. */
export class NameError extends ProtocolError {
  override readonly name = 'NameError'

  constructor(rule: 'invalid' | 'reserved' | 'not-open', detail: string, options?: ErrorOptions) {
    super(`name-${rule}`, detail, options, `name-${rule}`)
  }
}

/** A master seed or its words that cannot be read. */
export class KeyError extends ProtocolError {
  override readonly name = 'KeyError'

  constructor(detail: string) {
    super('key', detail, undefined, 'key')
  }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
