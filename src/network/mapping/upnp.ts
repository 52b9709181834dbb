/**
 * UPnP IGD, versions 1 and 2: the router of the default route is searched for on the link, then asked by SOAP. Anybody
 * on the link hears the search, so an answer counts from the router's own address alone, and leads to that one.
 */
import { createSocket } from 'node:dgram'
import { randomInt } from 'node:crypto'
import { request, type IncomingMessage } from 'node:http'
import { isIPv4 } from 'node:net'
import { HELD_SECONDS, type Router, type Way } from './router.ts'
import { locationIn, mappingServiceIn, valueIn } from './router-texts.ts'

const SEARCH = { host: '239.255.255.250', port: 1900 }
const SEARCHED = 'urn:schemas-upnp-org:device:InternetGatewayDevice:1'
const SEARCH_PAUSE_MS = 1_000
const SEARCHES = 3

/** For all that one step asks: opening, mapping, unmapping. */
const STEP_MS = 10_000
/** Of an answer, its head included. Descriptions have some 5 kB. */
const MAX_BYTES = 16 * 1024

/** Of SOAP: another machine has the port; and a router that holds mappings only for good. */
const TAKEN = '718'
const PERMANENT_ONLY = '725'
const TRIES = 3
/** Of those that are asked for in place of a taken one. */
const FIRST_PORT = 1_024
const PORTS = 65_536 - FIRST_PORT

class UpnpError extends Error {
  override readonly name = 'UpnpError'
  readonly code: string

  constructor(code: string) {
    super(`UPnP: the router answers ${code}`)
    this.code = code
  }
}

/** Rejects where the router gives no answer. */
export async function findUpnp({ own, gateway }: Way): Promise<Router> {
  return openUpnp(await search(own, gateway), own)
}

/** The router whose description is at `location`; it maps to the address `own`. */
export async function openUpnp(location: URL, own: string): Promise<Router> {
  const description = await ask(location, AbortSignal.timeout(STEP_MS))
  const { service, control } = controlOf(description.text, location)
  type Fields = Readonly<Record<string, string | number>>
  const soap = (action: string, fields: Fields, signal: AbortSignal): Promise<string> =>
    call({ control, service, action, fields }, signal)
  const external = new Map<number, number>()

  const add = (port: number, outside: number, seconds: number, signal: AbortSignal): Promise<string> =>
    soap(
      'AddPortMapping',
      {
        NewRemoteHost: '',
        NewExternalPort: outside,
        NewProtocol: 'TCP',
        NewInternalPort: port,
        NewInternalClient: own,
        NewEnabled: 1,
        NewPortMappingDescription: 'chronym',
        NewLeaseDuration: seconds
      },
      signal
    )
  const map = async (port: number, signal: AbortSignal): Promise<number> => {
    let outside = external.get(port) ?? port
    let seconds = HELD_SECONDS
    for (let attempt = 1; ; attempt++) {
      try {
        await add(port, outside, seconds, signal)
        return outside
      } catch (error) {
        const code = error instanceof UpnpError && attempt <= TRIES ? error.code : ''
        if (code === TAKEN) outside = FIRST_PORT + ((outside - FIRST_PORT + randomInt(1, PORTS)) % PORTS)
        else if (code === PERMANENT_ONLY) seconds = 0
        else throw error
      }
    }
  }
  return {
    async map(port) {
      const signal = AbortSignal.timeout(STEP_MS)
      const outside = await map(port, signal)
      external.set(port, outside)
      const ip = valueIn(await soap('GetExternalIPAddress', {}, signal), 'NewExternalIPAddress')
      return { ip: isIPv4(ip) ? ip : NO_ADDRESS, port: outside }
    },
    async unmap(port) {
      const outside = external.get(port)
      if (outside === undefined) return
      external.delete(port)
      const fields = { NewRemoteHost: '', NewExternalPort: outside, NewProtocol: 'TCP' }
      await soap('DeletePortMapping', fields, AbortSignal.timeout(STEP_MS))
    }
  }
}

/** As routers say it that are not connected. */
const NO_ADDRESS = '0.0.0.0'

/** Where the router's description is. */
function search(own: string, gateway: string): Promise<URL> {
  return new Promise((resolve, reject) => {
    const socket = createSocket('udp4')
    const timers: NodeJS.Timeout[] = []
    const end = (outcome: () => void): void => {
      for (const timer of timers) clearTimeout(timer)
      socket.removeAllListeners().on('error', () => undefined)
      socket.close()
      outcome()
    }
    const text =
      `M-SEARCH * HTTP/1.1\r\nHOST: ${SEARCH.host}:${SEARCH.port}\r\nMAN: "ssdp:discover"\r\nMX: 1\r\n` +
      `ST: ${SEARCHED}\r\n\r\n`
    socket.on('error', (error) => end(() => reject(error)))
    socket.on('message', (answer, { address }) => {
      if (address !== gateway) return
      const location = locationIn(answer)
      const url = URL.canParse(location) ? new URL(location) : undefined
      if (url?.protocol === 'http:' && url.hostname === gateway) end(() => resolve(url))
    })
    socket.on('listening', () => {
      socket.setMulticastInterface(own)
      const send = (): void => socket.send(text, SEARCH.port, SEARCH.host)
      send()
      for (let again = 1; again < SEARCHES; again++) timers.push(setTimeout(send, again * SEARCH_PAUSE_MS))
      timers.push(setTimeout(() => end(() => reject(new Error('UPnP: no answer'))), (SEARCHES + 1) * SEARCH_PAUSE_MS))
    })
    socket.bind({ address: own })
  })
}

function controlOf(description: string, location: URL): { readonly service: string; readonly control: URL } {
  const found = mappingServiceIn(description)
  if (found === undefined || !URL.canParse(found.path, location.href))
    throw new Error('UPnP: that router maps no ports')
  const control = new URL(found.path, location)
  if (control.protocol !== 'http:' || control.hostname !== location.hostname)
    throw new Error('UPnP: the router leads to another machine')
  return { service: found.service, control }
}

interface Call {
  readonly control: URL
  readonly service: string
  readonly action: string
  readonly fields: Readonly<Record<string, string | number>>
}

async function call({ control, service, action, fields }: Call, signal: AbortSignal): Promise<string> {
  const list = Object.entries(fields).map(([name, value]) => `<${name}>${value}</${name}>`)
  const { status, text } = await ask(control, signal, {
    soapAction: `"${service}#${action}"`,
    body:
      '<?xml version="1.0"?><s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/" ' +
      's:encodingStyle="http://schemas.xmlsoap.org/soap/encoding/"><s:Body>' +
      `<u:${action} xmlns:u="${service}">${list.join('')}</u:${action}></s:Body></s:Envelope>`
  })
  if (status === 200) return text
  const code = valueIn(text, 'errorCode')
  throw new UpnpError(/^\d{1,4}$/.test(code) ? code : String(status))
}

interface HttpAnswer {
  readonly status: number
  readonly text: string
}

/** Each request has a connection of its own, whose bytes are counted; no answer leads on to another place. */
async function ask(
  url: URL,
  signal: AbortSignal,
  post?: { readonly soapAction: string; readonly body: string }
): Promise<HttpAnswer> {
  const head =
    post === undefined
      ? {}
      : { method: 'POST', headers: { 'content-type': 'text/xml; charset="utf-8"', soapaction: post.soapAction } }
  const asked = request(url, { ...head, agent: false, signal })
  const isTooLong = (): boolean => (asked.socket?.bytesRead ?? 0) > MAX_BYTES
  try {
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      asked.on('socket', (socket) => socket.on('data', () => isTooLong() && asked.destroy()))
      asked.on('response', resolve).on('error', reject).end(post?.body)
    })
    const chunks: Buffer[] = []
    for await (const chunk of answer as AsyncIterable<Buffer>) chunks.push(chunk)
    if (isTooLong()) throw new Error('it came at once')
    // Routers name themselves in any encoding. The members that are read are ASCII.
    return { status: answer.statusCode!, text: Buffer.concat(chunks).toString('latin1') }
  } catch (cause) {
    if (isTooLong()) throw new Error(`UPnP: the router answers with more than ${MAX_BYTES} bytes`, { cause })
    throw signal.aborted ? new Error(`UPnP: no whole answer within ${STEP_MS / 1000} s`, { cause }) : cause
  }
}
