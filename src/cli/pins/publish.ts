/** `chronym pins publish`: a signed list of what this daemon knows for long, in a file to serve. */
import { existsSync } from 'node:fs'
import type { PinView } from '../../views/pin.ts'
import { parseName } from '../../protocol/name/names.ts'
import { EncodingError } from '../../protocol/errors.ts'
import { encodeMultikey } from '../../protocol/identity/did.ts'
import { equalBytes } from '../../protocol/encoding/bytes.ts'
import {
  LIST_CODE,
  MAX_LIST_ENTRIES,
  readPinList,
  signPinList,
  type PublishedPin
} from '../../protocol/resolution/pin-list.ts'
import type { NetworkProfile } from '../../protocol/profile/profile.ts'
import { replaceFileSync } from '../../util/replace-file.ts'
import { NotUtf8Error, readTextFile } from '../../util/utf8.ts'
import { plural } from '../../util/words.ts'
import { connect } from '../connection/connect.ts'
import { loadProfile } from '../connection/location.ts'
import type { Context } from '../context.ts'
import { inputFailure } from '../failures/failure.ts'
import { makeKeyFile, readKeyFile, type KeyUse, type PassphraseOptions } from '../identity/recovery-key.ts'

const PUBLISHING: KeyUse = {
  what: 'publishing key',
  title: 'Key of a list of published pins.',
  command: 'pins publish'
}

interface PublishOptions extends PassphraseOptions {
  key: string
  network?: string
}

export async function runPublish(context: Context, options: PublishOptions, file: string): Promise<void> {
  const profile = loadProfile(context, options.network)
  const pins = (await connect(context).pins()).flatMap((pin) => publishedOf(pin, profile))
  if (pins.length === 0)
    throw inputFailure(
      'this daemon has no name to publish: no firm pin, and no given code of twelve characters',
      'A daemon pins a name firmly once it has looked it up on two days: `chronym pins list` shows when.'
    )
  if (pins.length > MAX_LIST_ENTRIES) throw inputFailure(`a list has at most ${MAX_LIST_ENTRIES} names`)
  if (!existsSync(options.key)) await makeKeyFile(context, options.key, options, PUBLISHING)
  const key = await readKeyFile(context, options.key, options, PUBLISHING)
  const nowSeconds = Math.floor(Date.now() / 1_000)
  const serial = Math.max(nowSeconds, serialAfter(file, profile, key.publicKey))
  replaceFileSync(file, signPinList({ serial, pins }, key, profile), 0o644)
  const publicKey = encodeMultikey(key.publicKey)
  const made = new Date(serial * 1_000).toISOString()
  context.output.answer(
    { file, key: publicKey, serial, made_at: made, entries: pins.length },
    () =>
      `${file} has ${plural(pins.length, 'name')}. Serve it by https. Others follow it:\n` +
      `  chronym pins follow URL --key ${publicKey}`
  )
}

function publishedOf(pin: PinView, profile: NetworkProfile): PublishedPin[] {
  const { name, check_code: code, state, since, firm_since: firmSince } = pin
  const day = firmSince ?? since
  if (state === 'tentative' || code.length < LIST_CODE || day === null) return []
  return [{ name: parseName(name, profile), code: code.slice(0, LIST_CODE), since: day.slice(0, 10) }]
}

/** The serial after the list that the file has; two lists with one serial would be a lie. */
function serialAfter(file: string, profile: NetworkProfile, publicKey: Uint8Array): number {
  if (!existsSync(file)) return 0
  try {
    const former = readPinList(readTextFile(file), profile, Infinity)
    if (equalBytes(former.publicKey, publicKey)) return former.serial + 1
  } catch (error) {
    if (!(error instanceof EncodingError || error instanceof NotUtf8Error)) throw error
  }
  throw inputFailure(`${file} is there and is no list of this key and network`, 'Name another file.')
}
