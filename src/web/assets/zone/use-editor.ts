import { useAnswer, useEffect, useRef, useState } from '../lib/html.ts'
import { Problem } from '../lib/http.ts'
import { refresh } from '../lib/resource.ts'
import { useAct, type Told } from '../parts/act.ts'
import { ask } from '../parts/dialog.ts'
import { discardDraft, discardQuestion, publishZone, saveZone, type Say } from './acts.ts'
import {
  checkZone,
  discard,
  fetchPublished,
  fetchZone,
  publish,
  sendZone,
  type Published,
  type Records,
  type Zone
} from './daemon.ts'
import { isEntered } from './forms.ts'
import {
  difference,
  errorsByRow,
  isBlank,
  isUnchanged,
  recordsOf,
  rowOf,
  rowsOf,
  type RecordRow,
  type RowErrors
} from './records.ts'
import { edits } from './unsaved-edits.ts'

/** `isRefused`: the daemon said it of a zone to save. */
type Errors = RowErrors & { readonly isRefused?: boolean }
type EditorRow = RecordRow & { readonly id: number }
export type Editor = ReturnType<typeof useEditor>

/** After the last key, milliseconds. */
const CHECK_DELAY_MS = 250
const NO_ERRORS: Errors = { byRow: new Map(), rest: [] }

let serial = 0
const withId = (row: RecordRow): EditorRow => ({ ...row, id: ++serial })
const entered = (rows: readonly RecordRow[]): RecordRow[] => rows.map((row) => rowOf(row))
const changesOf = (records: Records, rows: readonly RecordRow[]) =>
  difference(records, recordsOf(entered(rows)).records)

/** What the daemon would say of the rows. What was not entered yet is not an error yet. */
async function check(name: string, rows: readonly RecordRow[]): Promise<Errors> {
  const given = rows.map((row, index) => ({ row: rowOf(row), index })).filter(({ row }) => isEntered(row))
  const { records, rowByPath } = recordsOf(given.map(({ row }) => row))
  const { byRow, rest } = errorsByRow(await checkZone(name, records).catch((): [] => []), rowByPath)
  return { rest, byRow: new Map([...byRow].map(([at, error]) => [given[at]!.index, error])) }
}

/**
 * The zone of a name in the editor. `zone`: as the daemon has it, undefined while it is read; `published`: as peers
 * have it. `rows`: as entered.
 */
export function useEditor(name: string) {
  const [zone, setZone] = useState<Zone>()
  const [published, setPublished] = useState<Published>()
  const [rows, setRows] = useState<readonly EditorRow[]>([])
  const [errors, setErrors] = useState(NO_ERRORS)
  const [said, say] = useState<{ text: string; tone: Told }>({ text: '', tone: '' })
  const [failure, setFailure] = useState<Error>()
  const shown = useRef(name)
  shown.current = name
  const [run, isBusy] = useAct((error) => say({ text: error.message, tone: 'bad' }))
  const isShown = () => shown.current === name

  const load = async () => {
    const found = await fetchZone(name)
    if (!isShown()) return
    const kept = edits.get(name)
    setZone(found)
    setRows((kept?.rows ?? rowsOf(found.records)).map(withId))
    setErrors(NO_ERRORS)
    setFailure(undefined)
    const isOutdated = kept !== undefined && kept.base !== found.etag
    const outdated = 'The saved zone has changed since you started these edits. Saving shows what it would replace.'
    say({ text: isOutdated ? outdated : '', tone: '' })
    const seen = await fetchPublished(name)
    if (isShown()) setPublished(seen)
  }

  useEffect(() => {
    setZone(undefined)
    setPublished(undefined)
    load().catch(setFailure)
  }, [name])
  useAnswer(zone && (() => check(name, rows)), setErrors, [rows, zone], CHECK_DELAY_MS)

  const change = (next: readonly EditorRow[]) => {
    setRows(next)
    if (zone === undefined) return
    if (isUnchanged(changesOf(zone.records, next))) edits.drop(name)
    else edits.keep(name, { base: zone.etag, rows: entered(next) })
  }

  const setSaved = (newSerial: number, changed: Pick<Zone, 'state'> & Partial<Zone>) => {
    setZone((now) => ({ ...now!, source: 'local', etag: `"${newSerial}"`, serial: newSerial, ...changed }))
    if (changed.records && isUnchanged(changesOf(changed.records, edits.get(name)?.rows ?? []))) edits.drop(name)
  }

  const save = async (now: Zone) => {
    const { records, rowByPath } = recordsOf(entered(rows))
    try {
      const newSerial = await sendZone(name, records, now.etag)
      setSaved(newSerial, { state: 'draft', records })
      return newSerial
    } catch (error) {
      if (!(error instanceof Problem) || error.errors.length === 0) throw error
      const found = errorsByRow(error.errors, rowByPath)
      setErrors({ ...found, isRefused: true })
      const text = found.rest.length > 0 ? found.rest.join('; ') : 'Not saved: see the marked records.'
      throw new Error(text, { cause: error })
    }
  }
  const services = {
    ask,
    fetchZone,
    fetchPublished,
    save,
    publish: async () => {
      const done = await publish(name)
      setSaved(done.serial, { state: 'published' })
      setPublished({ records: recordsOf(entered(rows)).records })
      return done
    },
    discard: (now: Zone) => discard(name, now.etag)
  }

  /** One act at a time; what it says is shown while its zone is. */
  const act = (work: (tell: Say, loaded: Zone & { readonly name: string }) => Promise<void>) => () =>
    run(async () => {
      if (zone === undefined) return
      const tell: Say = (text, tone = '') => {
        if (isShown()) say({ text, tone })
      }
      await work(tell, { name, ...zone })
      await refresh('/api/names', '/api/drafts', '/api/zone')
    })
  const agreedToDrop = ({ records }: Zone) => ask(discardQuestion(name, changesOf(records, rows)))
  const dropEdits = async () => {
    edits.drop(name)
    await load()
  }

  return {
    zone,
    published,
    rows,
    errors,
    said,
    failure,
    isBusy,
    isEdited: edits.has(name),
    edit: (id: number, values: Partial<RecordRow>) =>
      change(rows.map((row) => (row.id === id ? { ...row, ...values } : row))),
    add: (row: RecordRow): number => {
      const made = withId(row)
      // The blank row of an empty zone is not a record to keep beside it.
      change([...rows.filter((each) => !isBlank(rowOf(each))), made])
      return made.id
    },
    drop: (id: number) => change(rows.filter((row) => row.id !== id)),
    save: act((tell, loaded) => saveZone(services, loaded, entered(rows), tell)),
    publish: act((tell, loaded) => publishZone(services, loaded, entered(rows), tell)),
    discardEdits: act(async (_tell, loaded) => {
      if (await agreedToDrop(loaded)) await dropEdits()
    }),
    discardDraft: act(async (tell, loaded) => {
      if (edits.has(name) && !(await agreedToDrop(loaded))) return
      const done = await discardDraft(services, loaded)
      if (done !== undefined) await dropEdits()
      tell(done ?? 'The draft is kept.', done === undefined ? '' : 'good')
    })
  }
}
