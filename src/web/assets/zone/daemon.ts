/** A zone as the daemon and its peers have it. */
import { getPublic, getResponse, post, Problem, remove } from '../lib/http.ts'

const path = (name) => `/api/zone/${encodeURIComponent(name)}`

/** Nothing is published, as far as peers know. That nobody shows a claim with some check code makes no name free. */
const isNowhere = ({ code, checkCode }) => checkCode === undefined && (code === 'SVC-RES-002' || code === 'SVC-RES-003')

/**
 * The zone as the daemon has it now: the saved one, else the network's, else an empty one. `trouble` says why the
 * network's cannot be read.
 */
export async function fetchZone(name) {
  try {
    const response = await getResponse(path(name))
    const source = response.headers.get('X-Zone-Source')
    const { serial = 0, records } = await response.json()
    // An ETag of the network's zone is no local one yet: nobody can have changed what is not there.
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

/** What peers show of it: `{records}`, empty where nothing is published, or `{trouble}`. */
export async function fetchPublished(name) {
  try {
    const { records } = await getPublic(path(name))
    return { records }
  } catch (error) {
    return isNowhere(error) ? { records: {} } : { trouble: error.message }
  }
}

/** Saves over the zone that has this ETag, null where there is none; resolves to the new serial. */
export async function sendZone(name, records, etag) {
  const { serial } = await post(path(name), { records }, etag === null ? {} : { 'If-Match': etag })
  return serial
}

export const publish = (name) => post(`${path(name)}/publish`)
export const discard = (name, etag) => remove(path(name), { 'If-Match': etag })

/** What the daemon would refuse of these records, by its own rules: [{path, message}]. Nothing is saved. */
export async function checkZone(name, records) {
  try {
    return (await post(`${path(name)}/check`, { records })).errors
  } catch (error) {
    if (error instanceof Problem && error.errors.length > 0) return error.errors
    throw error
  }
}
