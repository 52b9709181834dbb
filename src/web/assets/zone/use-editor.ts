import { useEffect, useRef, useState } from '../lib/html.ts'
import { Problem } from '../lib/http.ts'
import { refresh } from '../lib/resource.ts'
import { type Told, useAct } from '../parts/act.ts'
import { ask } from '../parts/dialog.ts'
import { discardQuestion } from '../questions.ts'
import { discardDraft, publishZone, saveZone, type Say } from './acts.ts'
import {
  checkZone,
  discard,
  fetchPublished,
  fetchZone,
  publish,
  type Published,
  type Records,
  sendZone,
  type Zone
} from './daemon.ts'
import { isEntered } from './forms.ts'
import {
  difference,
  errorsByRow,
  isBlank,
  isUnchanged,
  type RecordRow,
  recordsOf,
  type RowErrors,
  rowOf,
  rowsOf
} from './records.ts'
import { edits, guardEdits } from './unsaved-edits.ts'

/** `isRefused`: the daemon said it of a zone to save. */
type Errors = RowErrors & { readonly isRefused?: boolean }
type LoadedZone = Zone & { readonly name: string }
type EditorRow = RecordRow & { readonly id: number }
export type Editor = ReturnType<typeof useEditor>

/** After the last key, milliseconds. */
const CHECK_DELAY_MS = 250
const NO_ERRORS: Errors = { byRow: new Map(), rest: [] }

let serial = 0
const withId = (row: RecordRow): EditorRow => ({ ...row, id: ++serial })
const entered = (rows: readonly RecordRow[]): RecordRow[] => rows.map((row) => rowOf(row))
const areSaved = (rows: readonly RecordRow[], records: Records): boolean =>
  isUnchanged(difference(records, recordsOf(entered(rows)).records))

/**
 * The zone of a name in the editor. `zone`: as the daemon has it, undefined while it is read; `published`: as peers
 * have it. `rows`: as entered.
 */
export function useEditor(name: string) {
  const [zone, setZone] = useState<LoadedZone>()
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
    setZone({ name, ...found })
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

  const change = (next: readonly EditorRow[]) => {
    setRows(next)
    if (zone === undefined) return
    if (areSaved(next, zone.records)) edits.drop(name)
    else edits.keep(name, { base: zone.etag, rows: entered(next) })
    guardEdits()
  }

  // As one types: what the daemon would say. What was not entered yet is no error yet.
  useEffect(() => {
    if (zone === undefined) return undefined
    let isNewest = true
    const check = async () => {
      const given = rows.map((row, index) => ({ row: rowOf(row), index })).filter(({ row }) => isEntered(row))
      const { records, rowByPath } = recordsOf(given.map(({ row }) => row))
      const found = await checkZone(name, records).catch((): [] => [])
      const { byRow, rest } = errorsByRow(found, rowByPath)
      if (isNewest) setErrors({ rest, byRow: new Map([...byRow].map(([at, error]) => [given[at]!.index, error])) })
    }
    const timer = setTimeout(() => void check(), CHECK_DELAY_MS)
    return () => {
      isNewest = false
      clearTimeout(timer)
    }
  }, [rows, zone])

  const setSaved = (newSerial: number, state: 'draft' | 'published', records?: Records) => {
    setZone((now) => ({
      ...now!,
      source: 'local',
      state,
      etag: `"${newSerial}"`,
      serial: newSerial,
      ...(records && { records })
    }))
    if (records && areSaved(edits.get(name)?.rows ?? [], records)) edits.drop(name)
    guardEdits()
  }

  const save = async (now: Zone) => {
    const { records, rowByPath } = recordsOf(entered(rows))
    try {
      const newSerial = await sendZone(name, records, now.etag)
      setSaved(newSerial, 'draft', records)
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
      setSaved(done.serial, 'published')
      setPublished({ records: recordsOf(entered(rows)).records })
      return done
    },
    discard: (now: Zone) => discard(name, now.etag)
  }

  /** One act at a time; what it says is shown while its zone is. */
  const act = (work: (tell: Say, loaded: LoadedZone) => Promise<void>) => () =>
    run(async () => {
      if (zone === undefined) return
      await work((text, tone = '') => {
        if (isShown()) say({ text, tone })
      }, zone)
      await refresh('/api/names', '/api/drafts', '/api/zone')
    })
  const agreedToDrop = ({ records }: Zone) =>
    ask(discardQuestion(name, difference(records, recordsOf(entered(rows)).records)))
  const dropEdits = async () => {
    edits.drop(name)
    guardEdits()
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
      // The blank row of an empty zone is no record to keep beside it.
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
