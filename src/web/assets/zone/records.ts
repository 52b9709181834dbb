/** A zone as the rows of the editor have it, and as the daemon does. Pure: no element is touched here. */

export const FIELDS = ['label', 'type', 'value', 'ttl']
/** What the daemon takes where none is given, seconds. */
const DEFAULT_TTL = 300

export const FIRST_ROW = { label: '@', type: 'A', value: '', ttl: '' }

export function rowOf(values) {
  return Object.fromEntries(
    FIELDS.map((field) => [field, values[field] === undefined ? '' : String(values[field]).trim()])
  )
}

export function rowsOf(records) {
  const rows = Object.entries(records).flatMap(([label, group]) => group.map((record) => rowOf({ label, ...record })))
  return rows.length === 0 ? [FIRST_ROW] : rows
}

const isSame = (left, right) => FIELDS.every((field) => left[field] === right[field])

/** A row in which nothing was entered is no record. */
export const isBlank = (row) => isSame(row, FIRST_ROW) || FIELDS.every((field) => row[field] === '')

/** The records of these rows, and the index of each one's row by its path: `www/0`. */
export function recordsOf(rows) {
  // Without a prototype: a label may be `constructor`.
  const records = Object.create(null)
  const rowByPath = new Map()
  rows.forEach((row, index) => {
    if (isBlank(row)) return
    const label = row.label || '@'
    records[label] ??= []
    rowByPath.set(`${label}/${records[label].length}`, index)
    records[label].push({
      type: row.type.toUpperCase(),
      value: row.value,
      ...(row.ttl !== '' && { ttl: Number(row.ttl) })
    })
  })
  return { records, rowByPath }
}

/**
 * What the daemon says of records, by row: `{byRow, rest}`. byRow: index of a row -> {field, message}; rest: messages
 * of no single record. `errors`: [{path, message}], a path like `records/www/0/value`.
 */
export function errorsByRow(errors, rowByPath) {
  const byRow = new Map()
  const rest = []
  for (const { path, message } of errors) {
    const [, label = '', index = '0', field = 'label'] = path
      .split('/')
      .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    const row = rowByPath.get(`${label}/${index}`) ?? rowByPath.get(`${label}/0`)
    if (row === undefined) rest.push(message)
    else {
      // The row shows its label itself.
      const text = message.startsWith(`${label}: `) ? message.slice(label.length + 2) : message
      const before = byRow.get(row)
      byRow.set(row, {
        field: before?.field ?? (FIELDS.includes(field) ? field : 'label'),
        message: before === undefined ? text : `${before.message}; ${text}`
      })
    }
  }
  return { byRow, rest }
}

/** `www 300 A 192.0.2.1`, one line a record. */
function linesOf(records) {
  return Object.entries(records).flatMap(([label, group]) =>
    group.map(({ type, value, ttl = DEFAULT_TTL }) => `${label} ${ttl} ${type} ${value}`)
  )
}

/** The lines of `after` that `before` lacks, and the other way round; each as often as it is missing. */
export function difference(before, after) {
  const without = (lines, others) => {
    const rest = [...others]
    return lines.filter((line) => {
      const at = rest.indexOf(line)
      if (at >= 0) rest.splice(at, 1)
      return at < 0
    })
  }
  const [old, now] = [linesOf(before), linesOf(after)]
  return { added: without(now, old), removed: without(old, now) }
}

/** A changed record is one change, though a line goes and a line comes. */
export const changeCount = ({ added, removed }) => Math.max(added.length, removed.length)

export const isUnchanged = ({ added, removed }) => added.length + removed.length === 0

/** As the daemon said when the zone was read, unless that serial was published since. */
export const isDraft = ({ state, serial, published }) => state === 'draft' && serial !== published

/**
 * What the editor shows: a word for the badge, and a sentence. `source`: of the loaded zone, null for none. `trouble`:
 * why the network's could not be read. `state`: `draft` or `published`, from the daemon. `saved`, `published`: the
 * daemon's serials now, 0 for none.
 */
export function zoneState({ source, state, trouble, serial, saved, published, isEdited }) {
  const below = belowEdits({ source, state, trouble, serial, published })
  const elsewhere =
    source === 'local' && saved > serial
      ? ` It was changed elsewhere since: serial ${saved} is saved now. Saving shows what it would replace.`
      : ''
  if (!isEdited) return { word: below.word, text: `${below.text}${elsewhere}` }
  return {
    word: 'unsaved edits',
    text: `Nothing of your edits is saved yet; this tab keeps them. Without them: ${below.text}${elsewhere}`
  }
}

function belowEdits({ source, state, trouble, serial, published }) {
  if (trouble !== undefined)
    return {
      word: 'not known',
      text: `No draft is saved here, and what is published cannot be read just now: ${trouble}`
    }
  if (source === null) return { word: 'no zone', text: 'No zone is saved here or published.' }
  if (source === 'network')
    return { word: 'published', text: `Serial ${serial}, as peers show it. There is no draft here.` }
  if (!isDraft({ state, serial, published }))
    return { word: 'published', text: `Serial ${serial}, the zone that is published.` }
  return {
    word: 'draft',
    text:
      `Serial ${serial}, which only this daemon has. ` +
      `${published > 0 ? `Published is serial ${published}.` : 'Nothing is published.'}`
  }
}
