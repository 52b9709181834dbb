import { ask } from '../dialog.js'
import { $, attempt, button, element, show } from '../elements.js'
import { getPublic, getResponse, post, Problem, remove } from '../http.js'
import { discardQuestion } from '../questions.js'
import { UnsavedEdits } from './unsaved-edits.js'
import { discardDraft, publishZone, saveZone } from './acts.js'
import { difference, FIELDS, isDraft, isUnchanged, recordsOf, rowOf, rowsOf, zoneState } from './records.js'

const TITLES = { label: 'Label', type: 'Type', value: 'Value', ttl: 'TTL in seconds' }

const edits = new UnsavedEdits(sessionStorage)
/**
 * The zone in the editor: as the daemon has it (`source`, null for none, `state`, `trouble`, `etag`, `serial`,
 * `records`), and the `rows` of the page.
 */
let zone
/** The newest request for a zone: late answers of older ones are not shown. */
let newest
/** Of each name the serials that the daemon has saved and published. */
let serials = new Map()
let isBusy = false

const path = (name) => `/api/zone/${encodeURIComponent(name)}`
const entered = ({ rows }) =>
  rows.map(({ inputs }) => rowOf(Object.fromEntries(FIELDS.map((field) => [field, inputs[field].value]))))

const areSaved = (rows, records) => isUnchanged(difference(records, recordsOf(rows).records))

/** Does this page hold edits of that name that are saved nowhere? */
export const hasUnsavedEdits = (name) => edits.has(name)

function addRow(values) {
  const inputs = Object.fromEntries(
    FIELDS.map((field) => {
      const input = element('input', { value: values[field], spellcheck: false, autocomplete: 'off' })
      input.setAttribute('aria-label', TITLES[field])
      return [field, input]
    })
  )
  inputs.ttl.placeholder = '300'
  inputs.ttl.inputMode = 'numeric'
  const error = element('div', { className: 'bad' })
  const row = { inputs, error }
  const drop = button(
    'Remove',
    () => {
      const next = row.node.nextElementSibling ?? row.node.previousElementSibling
      row.node.remove()
      zone.rows = zone.rows.filter((other) => other !== row)
      edited()
      ;(next?.querySelector('button') ?? $('add-record')).focus()
    },
    'Remove this record'
  )
  row.node = element(
    'tr',
    {},
    ...FIELDS.map((field) => element('td', { className: field }, inputs[field], ...(field === 'value' ? [error] : []))),
    element('td', {}, drop)
  )
  zone.rows.push(row)
  $('records').append(row.node)
  return row
}

/** Keeps what was entered, wherever the page goes, until it is what the daemon has. */
function edited() {
  const rows = entered(zone)
  if (areSaved(rows, zone.records)) edits.drop(zone.name)
  else edits.keep(zone.name, { base: zone.etag, rows })
  showState()
}

/** Says what is seen, and that leaving the page would lose edits. */
function showState() {
  window.onbeforeunload = edits.count > 0 ? (event) => event.preventDefault() : null
  if (zone === undefined) return
  const { saved, published } = serials.get(zone.name) ?? { saved: 0, published: 0 }
  const isEdited = edits.has(zone.name)
  const { word, text } = zoneState({ ...zone, saved, published, isEdited })
  // A status that is set again is read aloud again.
  if ($('zone-badge').textContent !== word) $('zone-badge').textContent = word
  if ($('zone-state').textContent !== text) $('zone-state').textContent = text
  $('discard-edits').hidden = !isEdited
  $('discard-draft').hidden = !isDraft({ ...zone, published })
}

/** `names`: of GET /api/names, whenever they are read. */
export function noteSerials(names) {
  serials = new Map(names.map(({ name, serial, published_serial: published }) => [name, { saved: serial, published }]))
  showState()
}

/** `records/www/0/value` -> the row of that record, and the field. */
function showErrors(rows, errors, rowByPath) {
  const rest = []
  for (const { path, message } of errors) {
    const [, label = '', index = '0', field] = path
      .split('/')
      .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    const row = rows[rowByPath.get(`${label}/${index}`) ?? rowByPath.get(`${label}/0`)]
    if (row === undefined) {
      rest.push(message)
      continue
    }
    row.error.textContent = [row.error.textContent, message].filter(Boolean).join('; ')
    const input = row.inputs[field] ?? row.inputs.label
    input.setAttribute('aria-invalid', 'true')
  }
  $('records').querySelector('[aria-invalid="true"]')?.focus()
  return rest
}

function clearErrors() {
  for (const { error, inputs } of zone.rows) {
    error.textContent = ''
    for (const input of Object.values(inputs)) input.removeAttribute('aria-invalid')
  }
}

/** Nothing is published, as far as peers know. */
const isNowhere = ({ code }) => code === 'SVC-RES-002' || code === 'SVC-RES-003'

/**
 * The zone as the daemon has it now: the saved one, else the network's, else an empty one. `trouble` says why the
 * network's cannot be read.
 */
async function fetchZone(name) {
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
async function fetchPublished(name) {
  try {
    const { records } = await getPublic(path(name))
    return { records }
  } catch (error) {
    return isNowhere(error) ? { records: {} } : { trouble: error.message }
  }
}

const savedAs = (of, serial, state) => Object.assign(of, { source: 'local', state, etag: `"${serial}"`, serial })

/** Saves `rows`, as they were entered, over `now`. */
async function save(of, rows, now) {
  const { records, rowByPath } = recordsOf(rows)
  try {
    const { serial } = await post(path(of.name), { records }, now.etag === null ? {} : { 'If-Match': now.etag })
    savedAs(of, serial, 'draft')
    of.records = records
    if (zone === of) edited()
    else if (areSaved(edits.get(of.name)?.rows ?? [], records)) edits.drop(of.name)
    return serial
  } catch (error) {
    if (zone !== of || !(error instanceof Problem) || error.errors.length === 0) throw error
    const rest = showErrors(of.rows, error.errors, rowByPath)
    throw new Error(rest.length > 0 ? rest.join('; ') : 'Not saved: see the marked records.')
  }
}

const services = (of, rows) => ({
  ask,
  fetchZone,
  fetchPublished,
  save: (now) => save(of, rows, now),
  publish: async () => {
    const published = await post(`${path(of.name)}/publish`)
    savedAs(of, published.serial, 'published')
    return published
  },
  discard: (now) => remove(path(of.name), { 'If-Match': now.etag })
})

function showRows(rows) {
  zone.rows = []
  $('records').replaceChildren()
  for (const row of rows) addRow(row)
}

export async function editZone(name) {
  const request = (newest = {})
  const found = await fetchZone(name)
  if (newest !== request) return
  zone = { name, ...found, rows: [] }
  const kept = edits.get(name)
  showRows(kept?.rows ?? rowsOf(found.records))
  const isOutdated = kept !== undefined && kept.base !== found.etag
  show(
    $('zone-output'),
    isOutdated ? 'The saved zone has changed since you started these edits. Saving shows what it would replace.' : ''
  )
  $('zone-title').textContent = `Zone of ${name}`
  edited()
  $('zone').hidden = false
  $('zone-title').focus()
}

async function discardEdits(of, rows) {
  if (!(await ask(discardQuestion(of.name, difference(of.records, recordsOf(rows).records))))) return
  edits.drop(of.name)
  await editZone(of.name)
}

/** Edits of the draft go with it, after a question of their own. */
async function discardDraftOf(of, rows, say) {
  if (edits.has(of.name) && !(await ask(discardQuestion(of.name, difference(of.records, recordsOf(rows).records)))))
    return undefined
  const done = await discardDraft(services(of, rows), of)
  if (done === undefined) return say('The draft is kept.')
  edits.drop(of.name)
  if (zone !== of) return undefined
  await editZone(of.name)
  return show($('zone-output'), done, 'good')
}

export function wireZoneEditor(onChanged) {
  const output = $('zone-output')
  /** One act at a time; what it says is shown while its zone is. */
  const act = (work) => async () => {
    if (isBusy) return
    isBusy = true
    clearErrors()
    const of = zone
    const rows = entered(of)
    await attempt(async () => {
      await work(of, rows, (text, tone) => zone === of && show(output, text, tone))
      await onChanged()
    }, output)
    isBusy = false
  }
  $('zone-form').oninput = edited
  $('add-record').onclick = () => {
    addRow(rowOf({})).inputs.label.focus()
    edited()
  }
  $('close-zone').onclick = () => ($('zone').hidden = true)
  $('discard-edits').onclick = act(discardEdits)
  $('discard-draft').onclick = act(discardDraftOf)
  $('publish-zone').onclick = act((of, rows, say) => publishZone(services(of, rows), of, rows, say))
  const saveNow = act((of, rows, say) => saveZone(services(of, rows), of, rows, say))
  $('zone-form').onsubmit = (event) => {
    event.preventDefault()
    void saveNow()
  }
  showState()
}
