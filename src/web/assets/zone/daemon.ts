/** A zone as the daemon and its peers have it. */
import type { ZoneBody, ZonePublishedBody } from '../lib/api.ts'
import { type FieldError, getPublic, getResponse, post, Problem, remove } from '../lib/http.ts'

export type Records = Readonly<ZoneBody['records']>

export interface Zone {
  readonly source: string | null
  readonly state: string | null
  readonly serial: number
  readonly records: Records
  readonly etag: string | null
  /** Why the network's cannot be read. */
  readonly trouble?: string
}

/** What peers show of a zone: empty records where nothing is published, or why it cannot be read. */
export interface Published {
  readonly records?: Records
  readonly trouble?: string
}

const path = (name: string) => `/api/zone/${encodeURIComponent(name)}` as const

/** Nothing is published, as far as peers know. That nobody shows a claim with some check code makes no name free. */
const isNowhere = ({ code, checkCode }: Problem): boolean =>
  checkCode === undefined && (code === 'SVC-RES-002' || code === 'SVC-RES-003')

/** The zone as the daemon has it now: the saved one, else the network's, else an empty one. */
export async function fetchZone(name: string): Promise<Zone> {
  try {
    const response = await getResponse(path(name))
    const source = response.headers.get('X-Zone-Source')
    const { serial = 0, records } = (await response.json()) as ZoneBody
    // An ETag of the network's zone is not a local one yet: nobody can have changed what is not there.
    return {
      source,
      state: response.headers.get('X-Zone-State'),
      serial,
      records,
      etag: source === 'local' ? response.headers.get('ETag') : null
    }
  } catch (error) {
    // A name without a zone begins with an empty one.
    if (!(error instanceof Problem) || !/^SVC-(ZON|RES)-/.test(error.code)) throw error
    return {
      source: null,
      state: null,
      serial: 0,
      records: {},
      etag: null,
      ...(!isNowhere(error) && { trouble: error.message })
    }
  }
}

export async function fetchPublished(name: string): Promise<Published> {
  try {
    const { records } = await getPublic(path(name))
    return { records }
  } catch (error) {
    return error instanceof Problem && isNowhere(error) ? { records: {} } : { trouble: (error as Error).message }
  }
}

/** Saves over the zone that has this ETag, null where there is none; resolves to the new serial. */
export async function sendZone(name: string, records: Records, etag: string | null): Promise<number> {
  const { serial } = await post(path(name), { records }, etag === null ? {} : { 'If-Match': etag })
  return serial
}

export const publish = (name: string): Promise<ZonePublishedBody> => post(`${path(name)}/publish`)
export const discard = (name: string, etag: string | null): Promise<unknown> =>
  remove(path(name), etag === null ? {} : { 'If-Match': etag })

/** What the daemon would refuse of these records, by its own rules. Nothing is saved. */
export async function checkZone(name: string, records: Records): Promise<readonly FieldError[]> {
  try {
    return (await post(`${path(name)}/check`, { records })).errors
  } catch (error) {
    if (error instanceof Problem && error.errors.length > 0) return error.errors
    throw error
  }
}
