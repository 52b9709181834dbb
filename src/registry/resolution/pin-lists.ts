/** Following lists of published pins: fetching them, what they make of a bare name, and what the user is shown. */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { isAbsolute } from 'node:path'
import { ServiceError } from '../../errors.ts'
import type { CodedName } from '../../protocol/claim/check-code.ts'
import { encodeMultikey } from '../../protocol/identity/did.ts'
import { livePin } from '../../protocol/resolution/pin.ts'
import { MAX_LIST_BYTES, readPinList, type Meant } from '../../protocol/resolution/pin-list.ts'
import { parseZonePayload } from '../../protocol/zone/zone.ts'
import { RepeatedLook } from '../../time/repeated-look.ts'
import { readBody } from '../../util/bounded-body.ts'
import { AT_ONCE } from '../../util/files.ts'
import { textOfUtf8 } from '../../util/utf8.ts'
import type { FollowedListsView, FollowedListView } from '../../views/pin.ts'
import { codedNameOf, leaseOf, openCodedName, type RegistryContext } from '../context.ts'
import { afterFetch, type Followed, type ReadList } from '../stored/pin-lists.ts'
import type { FollowOptions, ResolvedName } from '../use-cases.ts'

const MOST_LISTS = 16
const EVERY_MS = 3_600_000
const FETCH_MS = 15_000
/** Names of two lists with one serial that are shown. */
const SHOWN_DIFFERENCES = 20

/**
 * As `openCodedName`, and for a bare name the code that published lists agree on. SVC-RES-004 where they differ, or
 * differ from a firm pin.
 */
export function meantName(context: RegistryContext, text: string): CodedName {
  const { name, code } = openCodedName(context, text)
  if (code !== undefined) return { name, code }
  const { kind, said } = publishedOf(context, name)
  if (kind === 'contested')
    throw new ServiceError('SVC-RES-004', contestOf(name, said), { retryAfter: 60, extensions: { published: said } })
  return kind === 'pinned' ? { name, code: said[0]!.code } : { name }
}

/** The meaning of a bare name by published lists, where no given code decides. A name of this daemon is its own. */
export function publishedOf(context: RegistryContext, name: string): Meant {
  const meant = context.lists.meant(name)
  const own = context.owned.get(name)
  const isOwn = own?.ownership === 'held' && leaseOf(context, own.reveal.drand_pulse).state !== 'dead'
  if (meant.kind === 'unsaid' || isOwn) return { kind: 'unsaid', said: [] }
  const seen = context.pins.get(name)
  const isFirm = livePin(seen, context.time(), context.profile)?.state === 'firm'
  if (!isFirm || meant.said.every(({ code }) => seen!.code.startsWith(code))) return meant
  const here = { source: 'seen here as settled on two days', code: seen!.code, since: '' }
  return { kind: 'contested', said: [...meant.said, here] }
}

export function contestOf(name: string, said: Meant['said']): string {
  const codes = said.map(({ code, source }) => `${code} (${source})`).join(', ')
  return `Lists of published pins give ${name} different codes: ${codes}.`
}

/** Which lists name a code, and how fresh they are. */
export function publishedNote({ lists }: RegistryContext, said: Meant['said']): string {
  const sources = said.map(
    ({ source, since }) => `${source} (made ${madeAt(lists.read(source)).slice(0, 10)}, has it since ${since})`
  )
  return `The code is of published pins, on ${said.length} of ${lists.list().length} lists: ${sources.join(', ')}.`
}

function madeAt({ serial }: { readonly serial: number }): string {
  return new Date(serial * 1_000).toISOString()
}

type Resolve = (name: string, signal: AbortSignal) => Promise<ResolvedName>

/** Follows lists, and fetches each again every hour. */
export class PinListUpkeep {
  readonly #context: RegistryContext
  readonly #resolve: Resolve
  readonly #onChanged: () => void
  readonly #looks = new RepeatedLook((signal) => this.#refresh(signal))

  constructor(context: RegistryContext, resolve: Resolve, onChanged: () => void) {
    this.#context = context
    this.#resolve = resolve
    this.#onChanged = onChanged
  }

  start(): void {
    this.#looks.start(this.#context.clock, EVERY_MS)
  }

  stop(): Promise<void> {
    return this.#looks.stop()
  }

  /**
   * Follows a list, fetches one again that is followed, or follows it no longer. The first list decides which key may
   * sign later ones, unless `key` does. SVC-PIN-003, SVC-STO-001.
   */
  async follow(source: string, { key, agree, follow = true }: FollowOptions = {}): Promise<FollowedListsView> {
    const { lists } = this.#context
    if (!follow) {
      if (lists.get(source) === undefined) throw refused('this daemon does not follow it')
      lists.forget(source)
    } else {
      if (lists.get(source) === undefined && lists.list().length >= MOST_LISTS)
        throw refused(`this daemon follows ${MOST_LISTS} lists`)
      await this.#take(source, AbortSignal.timeout(FETCH_MS), key).catch((error: unknown) => {
        throw refused(reasonOf(error), error)
      })
    }
    if (agree !== undefined) lists.setAgree(agree)
    this.#onChanged()
    return this.view()
  }

  view(): FollowedListsView {
    const { lists } = this.#context
    return { agree: lists.agree, lists: lists.list().map((each) => this.#viewOf(each)) }
  }

  #viewOf(followed: Followed): FollowedListView {
    const { source, key, fetchedMs, failure = null, rolledBackTo } = followed
    const list = this.#context.lists.read(source)
    return {
      source,
      key,
      made_at: madeAt(list),
      fetched_at: new Date(fetchedMs).toISOString(),
      entries: list.pins.length,
      failure,
      rolled_back_to: rolledBackTo === undefined ? null : madeAt({ serial: rolledBackTo }),
      equivocation: this.#equivocationOf(followed)
    }
  }

  #equivocationOf({ text, other }: Followed): FollowedListView['equivocation'] {
    if (other === undefined) return null
    const [one, two] = [text, other].map(
      (each) => new Map(readPinList(each, this.#context.profile, Infinity).pins.map(({ name, code }) => [name, code]))
    )
    return [...new Set([...one!.keys(), ...two!.keys()])]
      .map((name) => ({ name, codes: [one!.get(name) ?? null, two!.get(name) ?? null] }))
      .filter(({ codes }) => codes[0] !== codes[1])
      .slice(0, SHOWN_DIFFERENCES)
  }

  /** Never rejects. */
  async #refresh(signal: AbortSignal): Promise<void> {
    const { lists, log } = this.#context
    const before = lists.list()
    for (const followed of before) {
      const { source } = followed
      await this.#take(source, AbortSignal.any([signal, AbortSignal.timeout(FETCH_MS)])).catch((error: unknown) => {
        const reason = reasonOf(error)
        if (signal.aborted || lists.get(source) !== followed) return
        lists.set({ ...followed, failure: reason })
        log.info({ source, reason }, 'a list of published pins could not be fetched; the last one holds')
      })
    }
    const isSame = ({ source, text, other }: Followed): boolean =>
      before.some((each) => each.source === source && each.text === text && each.other === other)
    if (!lists.list().every(isSame)) this.#onChanged()
  }

  /** Fetches a list, and keeps what comes of it. */
  async #take(source: string, signal: AbortSignal, expected?: string): Promise<void> {
    const { profile, clock, lists } = this.#context
    const text = isAbsolute(source) ? readFile(source) : await fetchText(await this.#urlOf(source, signal), signal)
    const shown: ReadList = { ...readPinList(text, profile, clock.now() / 1_000), text }
    const key = encodeMultikey(shown.publicKey)
    const kept = lists.get(source)
    const right = expected ?? kept?.key ?? key
    if (key !== right) throw new Error(`the key ${key} signed it, not ${right}`)
    const isOurs = kept?.key === key
    lists.set(
      isOurs ? afterFetch(kept, lists.read(source), shown, clock.now()) : { source, key, text, fetchedMs: clock.now() }
    )
  }

  /** A name with its code leads to the address in the TXT records of its `_pins`. */
  async #urlOf(source: string, signal: AbortSignal): Promise<URL> {
    const { profile } = this.#context
    if (/^https?:/.test(source)) {
      const url = URL.parse(source)
      if (url === null) throw new Error('the address is not valid: check its host and port')
      if (url.username !== '' || url.password !== '')
        throw new Error('an address with a name and a password is not fetched; serve the list without them')
      if (url.protocol === 'https:' || ['127.0.0.1', '[::1]', 'localhost'].includes(url.hostname)) return url
      throw new Error('a list comes by https://; http:// is for this machine alone')
    }
    if (codedNameOf(profile, source).code === undefined)
      throw new Error('a name needs its check code, as in alice--7kq2mx.chronym; else give an address or a path')
    const texts = parseZonePayload((await this.#resolve(source, signal)).reveal.payload, profile).records['_pins'] ?? []
    const url = texts.find(({ type, value }) => type === 'TXT' && value.startsWith('https://'))?.value
    if (url === undefined) throw new Error('its zone has no TXT record of _pins that begins with https://')
    return new URL(url)
  }
}

function refused(why: string, cause?: unknown): ServiceError {
  return new ServiceError('SVC-PIN-003', `The list is not followed: ${why}.`, { cause })
}

/** `fetch` says only that it failed; its cause says why, of TLS and of ports that are not for the web in its own words. */
function reasonOf(error: unknown): string {
  const { message, cause, name } = error as Error
  if (name === 'TimeoutError') return `nothing came within ${FETCH_MS / 1_000} s`
  const isOfFetch = cause instanceof Error && message === 'fetch failed'
  const fault: Error & { code?: string } = isOfFetch ? cause : (error as Error)
  if (fault.code?.startsWith('ERR_SSL_')) return `no TLS is spoken there that this daemon knows (${fault.code})`
  if (fault.message === 'bad port') return 'nothing is fetched from that port, which is for other protocols'
  return fault.message.replace(/\.$/, '')
}

/** No redirect: a publisher must not send this machine to an address of its own network. */
async function fetchText(url: URL, signal: AbortSignal): Promise<string> {
  const response = await fetch(url, { signal, redirect: 'manual', headers: { accept: 'text/plain' } })
  if (response.ok) return textOfUtf8(await readBody(response, MAX_LIST_BYTES))
  await response.body?.cancel()
  const isAway = response.status >= 300 && response.status < 400
  throw new Error(
    `it answered ${response.status}${isAway ? ', which is not followed: give the address it leads to' : ''}`
  )
}

function readFile(path: string): string {
  const file = openSync(path, AT_ONCE)
  try {
    const status = fstatSync(file)
    if (!status.isFile()) throw new Error('it is no file')
    if (status.size > MAX_LIST_BYTES) throw new Error(`it is longer than ${MAX_LIST_BYTES} bytes`)
    const bytes = Buffer.alloc(status.size)
    return textOfUtf8(bytes.subarray(0, readSync(file, bytes, 0, status.size, 0)))
  } finally {
    closeSync(file)
  }
}
