import type { Context } from 'hono'
import * as v from 'valibot'
import { type FieldError, ServiceError } from '../../errors.ts'
import { requestHeader, type AppEnv } from './request.ts'
import { JsonError, parseStrictJson } from '../../util/strict-json.ts'

/** docs/api.md, "Transport". */
export const MAX_BODY_BYTES = 256 * 1024

/** More would only repeat one mistake. */
const MAX_FIELD_ERRORS = 20

/**
 * Reads the JSON body of a request and checks it. With `asReceived` it returns what was received: the schema's output
 * leaves out members that it does not name. The schema must change no value then. Throws SVC-REQ-001, SVC-REQ-002 or
 * SVC-REQ-003.
 */
export async function readBody<Schema extends v.GenericSchema>(
  c: Context<AppEnv>,
  schema: Schema,
  { asReceived = false } = {}
): Promise<v.InferOutput<Schema>> {
  return checkBody(c, await readBounded(c.req.raw), schema, { asReceived })
}

/** As {@link readBody}, of what was read. */
export function checkBody<Schema extends v.GenericSchema>(
  c: Context<AppEnv>,
  bytes: Uint8Array,
  schema: Schema,
  { asReceived = false } = {}
): v.InferOutput<Schema> {
  const encoding = c.req.header('Content-Encoding') ?? 'identity'
  if (encoding.toLowerCase() !== 'identity')
    throw new ServiceError('SVC-REQ-003', `The body is encoded (${encoding.slice(0, 32)}); send it as plain JSON.`)
  if (!isJson(c.req.header('Content-Type'))) {
    if (bytes.length > 0) throw new ServiceError('SVC-REQ-003', 'The body is not sent as application/json.')
    throw new ServiceError('SVC-REQ-001', 'The request has no body; a JSON object is needed.')
  }
  const received = parse(bytes)
  const output = check(schema, received)
  return asReceived ? received : output
}

/**
 * Reads a body that is not JSON, of at most `maxBytes`. Throws SVC-REQ-002, and SVC-REQ-003 unless it is sent as `media`.
 */
export async function readBytes(c: Context<AppEnv>, media: string, maxBytes: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(await readBounded(c.req.raw, maxBytes))
  const given = (c.req.header('Content-Type') ?? '').split(';', 1)[0]!
  if (given.trim().toLowerCase() !== media) throw new ServiceError('SVC-REQ-003', `The body is not sent as ${media}.`)
  return bytes
}

/** SVC-REQ-002 for what a declared length already shows, whether or not anybody reads the body. */
export function refuseLongBody(c: Context<AppEnv>): void {
  const contentLength = requestHeader(c, 'content-length')
  if (contentLength !== undefined && Number(contentLength) > MAX_BODY_BYTES) throw tooLarge()
}

/** Counts while reading: a chunked body declares no length. */
async function readBounded(request: Request, maxBytes = MAX_BODY_BYTES): Promise<Uint8Array> {
  if (request.headers.has('Content-Length')) return new Uint8Array(await readWhole(request, maxBytes))
  // A Request's stream has bytes, which its type does not say.
  const reader = (request.body as ReadableStream<Uint8Array> | null)?.getReader()
  if (reader === undefined) return new Uint8Array()
  const chunks: Uint8Array[] = []
  let length = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return Buffer.concat(chunks)
    length += value.length
    if (length > maxBytes) {
      await reader.cancel()
      throw tooLarge(maxBytes)
    }
    chunks.push(value)
  }
}

async function readWhole(request: Request, maxBytes: number): Promise<ArrayBuffer> {
  const bytes = await request.arrayBuffer()
  // A socket delivers what the header says; a Request made in memory may not.
  if (bytes.byteLength > maxBytes) throw tooLarge(maxBytes)
  return bytes
}

export function tooLarge(maxBytes = MAX_BODY_BYTES): ServiceError {
  return new ServiceError('SVC-REQ-002', `The body is larger than ${maxBytes / 1024} KiB.`)
}

/** RFC 8259 knows no charset but UTF-8. */
function isJson(contentType: string | undefined): boolean {
  return contentType !== undefined && /^application\/json\s*(?:;\s*charset="?utf-8"?\s*)?$/i.test(contentType)
}

function parse(bytes: Uint8Array): unknown {
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (cause) {
    throw new ServiceError('SVC-REQ-001', 'The body is not UTF-8.', { cause })
  }
  try {
    return parseStrictJson(text, 'The body')
  } catch (error) {
    if (error instanceof JsonError) throw new ServiceError('SVC-REQ-001', `${error.message}.`, { cause: error })
    throw error
  }
}

function check<Schema extends v.GenericSchema>(schema: Schema, value: unknown): v.InferOutput<Schema> {
  const result = v.safeParse(schema, value)
  // An array has no members, which a schema allows whose members are all optional.
  if (result.success && schema.type === 'object' && Array.isArray(value))
    throw new ServiceError('SVC-REQ-001', 'The body is a list; a JSON object is needed.')
  if (result.success) return result.output
  const errors = result.issues.slice(0, MAX_FIELD_ERRORS).map(fieldError)
  throw new ServiceError('SVC-REQ-001', 'The body does not fit its schema.', { errors })
}

/** Never with the value received: it may be long, or a secret. */
function fieldError(issue: v.BaseIssue<unknown>): FieldError {
  const path = (issue.path ?? []).map(({ key }) => escapePointer(String(key))).join('/')
  // Our own messages say what is expected; the library's also quote what was received.
  if (!/\breceived\b/i.test(issue.message)) return { path, message: issue.message }
  return {
    path,
    message: issue.received === 'undefined' ? 'Required' : `Expected ${issue.expected ?? 'something else'}`
  }
}

/** RFC 6901. */
function escapePointer(key: string): string {
  return key.slice(0, 64).replaceAll('~', '~0').replaceAll('/', '~1')
}
