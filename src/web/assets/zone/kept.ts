import { UnsavedEdits } from './unsaved-edits.ts'

/** The edits of this tab that are saved nowhere. */
export const edits = new UnsavedEdits(sessionStorage)

/** The browser asks before it closes a tab with edits in it. */
export const guardEdits = (): void => {
  globalThis.onbeforeunload = edits.count > 0 ? (event) => event.preventDefault() : null
}
guardEdits()
