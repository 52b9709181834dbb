import type { Parameter } from '../endpoint.ts'

export const NAME_PARAMETER: Parameter = {
  name: 'name',
  in: 'path',
  description: '`<label>.<tld>`',
  example: 'alice.chronym',
  schema: { minLength: 1, maxLength: 255 },
  refusal: 'SVC-NAM-001'
}

export const CODE_PARAMETER: Parameter = {
  name: 'code',
  in: 'query',
  description:
    'The check code, for a name whose label has no room for it. SVC-NAM-001 where the name carries another one',
  example: '7kq2mx',
  schema: { minLength: 1, maxLength: 64 }
}

export const TASK_PARAMETER: Parameter = {
  name: 'task_id',
  in: 'path',
  description: 'From register, renew or the list of tasks',
  schema: { minLength: 1, maxLength: 64 },
  refusal: 'SVC-TSK-001'
}

export const IDEMPOTENCY_KEY_PARAMETER: Parameter = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    '1 to 255 printable ASCII characters, kept 24 h: the same key with the same body gets the first answer again',
  example: '7d0c1f5e-4f0a-4a51-9c59-0f5a3c1e2b77',
  schema: { minLength: 1, maxLength: 255, pattern: '^[\\x21-\\x7e]{1,255}$' }
}

export const LAST_EVENT_ID_PARAMETER: Parameter = {
  name: 'Last-Event-ID',
  in: 'header',
  description: 'The id of the last event seen; the stream continues after it if the events are still kept'
}

export const IF_MATCH_PARAMETER: Parameter = {
  name: 'If-Match',
  in: 'header',
  description: 'The ETag of the zone that you changed; SVC-ZON-004 if the zone has another one now',
  example: '"7"'
}

export const IF_NONE_MATCH_PARAMETER: Parameter = {
  name: 'If-None-Match',
  in: 'header',
  description: 'An ETag; answered with 304 while it is current',
  example: '"7"'
}
