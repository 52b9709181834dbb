import { $, attempt, button, element, show } from './elements.js'
import { getResponse, post, Problem } from './http.js'

const FIELDS = ['label', 'type', 'value', 'ttl']
const TITLES = { label: 'Label', type: 'Type', value: 'Value', ttl: 'TTL in seconds' }

let rows = []
let name = ''
let etag = null

function addRow(record) {
  const inputs = Object.fromEntries(
    FIELDS.map((field) => {
      const input = element('input', { value: record[field] ?? '', spellcheck: false, autocomplete: 'off' })
      input.setAttribute('aria-label', TITLES[field])
      return [field, input]
    })
  )
  inputs.ttl.placeholder = '300'
  inputs.ttl.inputMode = 'numeric'
  const error = element('div', { className: 'bad' })
  const row = { inputs, error }
  const drop = button('Remove', () => {
    row.node.remove()
    rows = rows.filter((other) => other !== row)
  }, 'Remove this record')
  row.node = element('tr', {}, ...FIELDS.map((field) => element('td', { className: field }, inputs[field], ...(field === 'value' ? [error] : []))), element('td', {}, drop))
  rows.push(row)
  $('records').append(row.node)
  return row
}

/** The zone as the rows have it, and for each record's path the row it came from. */
function collect() {
  const records = {}
  const rowByPath = new Map()
  for (const row of rows) {
    const { label, type, value, ttl } = row.inputs
    const key = label.value.trim() || '@'
    records[key] ??= []
    rowByPath.set(`${key}/${records[key].length}`, row)
    const seconds = ttl.value.trim()
    records[key].push({ type: type.value.trim().toUpperCase(), value: value.value.trim(), ...(seconds !== '' && { ttl: Number(seconds) }) })
  }
  return { records, rowByPath }
}

/** `records/www/0/value` -> the row of that record, and the field. */
function showErrors(errors, rowByPath) {
  const rest = []
  for (const { path, message } of errors) {
    const [, label = '', index = '0', field] = path.split('/').map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    const row = rowByPath.get(`${label}/${index}`) ?? rowByPath.get(`${label}/0`)
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
  for (const { error, inputs } of rows) {
    error.textContent = ''
    for (const input of Object.values(inputs)) input.removeAttribute('aria-invalid')
  }
}

async function save() {
  clearErrors()
  const { records, rowByPath } = collect()
  try {
    const { serial } = await post(`/api/zone/${encodeURIComponent(name)}`, { records }, etag === null ? {} : { 'If-Match': etag })
    etag = `"${serial}"`
    return serial
  } catch (error) {
    if (!(error instanceof Problem) || error.errors.length === 0) throw error
    const rest = showErrors(error.errors, rowByPath)
    throw new Error(rest.length > 0 ? rest.join('; ') : 'Not saved: see the records marked.')
  }
}

export async function editZone(of) {
  name = of
  etag = null
  rows = []
  $('records').replaceChildren()
  show($('zone-output'), '')
  $('zone-title').textContent = `Zone of ${name}`
  try {
    const response = await getResponse(`/api/zone/${encodeURIComponent(name)}`)
    // An ETag of the network's zone is no local one yet: nobody can have changed what is not there.
    etag = response.headers.get('X-Zone-Source') === 'local' ? response.headers.get('ETag') : null
    const { records } = await response.json()
    for (const [label, group] of Object.entries(records)) for (const record of group) addRow({ label, ...record })
  } catch (error) {
    // A name without a zone begins with an empty one.
    if (!(error instanceof Problem) || !/^SVC-(ZON|RES)-/.test(error.code)) throw error
  }
  if (rows.length === 0) addRow({ label: '@', type: 'A' })
  $('zone').hidden = false
  $('zone-title').focus()
}

export function wireZoneEditor(onSaved) {
  const output = $('zone-output')
  $('add-record').onclick = () => addRow({}).inputs.label.focus()
  $('close-zone').onclick = () => ($('zone').hidden = true)
  $('zone-form').onsubmit = (event) => {
    event.preventDefault()
    void attempt(async () => {
      show(output, `Saved as serial ${await save()}. Only this daemon sees it until it is published.`, 'good')
      await onSaved()
    }, output)
  }
  $('publish-zone').onclick = () =>
    attempt(async () => {
      await save()
      show(output, 'Publishing…')
      const { serial, stored_by: holders, of } = await post(`/api/zone/${encodeURIComponent(name)}/publish`)
      show(output, `Serial ${serial} is live at ${holders} of ${of} peers.`, 'good')
      await onSaved()
    }, output)
}
