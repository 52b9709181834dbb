/**
 * UPnP IGD, versions 1 and 2: a router is searched for on the link, then asked by SOAP. Anybody on the link may answer the
 * search, so nothing leads away from the machine that did.
 */
import { createSocket } from 'node:dgram'
import { randomInt } from 'node:crypto'
import { HELD_SECONDS, type Router } from './router.ts'

const SEARCH = { host: '239.255.255.250', port: 1900 }
const SEARCHED = 'urn:schemas-upnp-org:device:InternetGatewayDevice:1'
const SEARCH_PAUSE_MS = 1_000
const SEARCHES = 3
const HTTP_MS = 5_000
const MAX_BYTES = 256 * 1024

/** The services that map ports, the latest version first. */
const SERVICE = /^urn:schemas-upnp-org:service:WAN(IP|PPP)Connection:[12]$/

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

/** Rejects where no router answers. */
export async function findUpnp(own: string): Promise<Router> {
  return openUpnp(await search(own), own)
}

/** The router whose description is at `location`; it maps to the address `own`. */
export async function openUpnp(location: URL, own: string): Promise<Router> {
  const { service, control } = controlOf(await textOf(await request(location)), location)
  const soap = (action: string, fields: Readonly<Record<string, string | number>>): Promise<string> =>
    call(control, service, action, fields)
  const external = new Map<number, number>()

  const add = (port: number, outside: number, seconds: number): Promise<string> =>
    soap('AddPortMapping', {
      NewRemoteHost: '',
      NewExternalPort: outside,
      NewProtocol: 'TCP',
      NewInternalPort: port,
      NewInternalClient: own,
      NewEnabled: 1,
      NewPortMappingDescription: 'chronym',
      NewLeaseDuration: seconds
    })
  const map = async (port: number): Promise<number> => {
    let outside = external.get(port) ?? port
    let seconds = HELD_SECONDS
    for (let attempt = 1; ; attempt++) {
      try {
        await add(port, outside, seconds)
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
      const outside = await map(port)
      external.set(port, outside)
      const ip = valueOf(await soap('GetExternalIPAddress', {}), 'NewExternalIPAddress')
      return { ip, port: outside }
    },
    async unmap(port) {
      const outside = external.get(port)
      if (outside === undefined) return
      external.delete(port)
      await soap('DeletePortMapping', { NewRemoteHost: '', NewExternalPort: outside, NewProtocol: 'TCP' })
    }
  }
}

/** The description of the first router that answers from its own address. */
function search(own: string): Promise<URL> {
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
      const location = /^location:\s*(\S+)/im.exec(answer.toString('latin1'))?.[1] ?? ''
      const url = URL.canParse(location) ? new URL(location) : undefined
      if (url?.protocol === 'http:' && url.hostname === address) end(() => resolve(url))
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

/** The description is XML of machines; what is looked for has no attributes and nothing nested. */
function controlOf(description: string, location: URL): { readonly service: string; readonly control: URL } {
  const services = [...description.matchAll(/<service>(.*?)<\/service>/gs)]
    .map(([, text]) => ({ service: valueOf(text!, 'serviceType'), path: valueOf(text!, 'controlURL') }))
    .filter(({ service }) => SERVICE.test(service))
    .sort((left, right) => right.service.localeCompare(left.service))
  const [first] = services
  if (first === undefined || !URL.canParse(first.path, location.href))
    throw new Error('UPnP: that router maps no ports')
  const control = new URL(first.path, location)
  if (control.protocol !== 'http:' || control.hostname !== location.hostname)
    throw new Error('UPnP: the router leads to another machine')
  return { service: first.service, control }
}

async function call(
  control: URL,
  service: string,
  action: string,
  fields: Readonly<Record<string, string | number>>
): Promise<string> {
  const list = Object.entries(fields).map(([name, value]) => `<${name}>${value}</${name}>`)
  const response = await request(control, {
    method: 'POST',
    headers: { 'content-type': 'text/xml; charset="utf-8"', soapaction: `"${service}#${action}"` },
    body:
      '<?xml version="1.0"?><s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/" ' +
      's:encodingStyle="http://schemas.xmlsoap.org/soap/encoding/"><s:Body>' +
      `<u:${action} xmlns:u="${service}">${list.join('')}</u:${action}></s:Body></s:Envelope>`
  })
  const answer = await textOf(response)
  if (response.status === 200) return answer
  throw new UpnpError(valueOf(answer, 'errorCode') || String(response.status))
}

function request(url: URL, init: RequestInit = {}): Promise<Response> {
  return fetch(url, { ...init, redirect: 'error', signal: AbortSignal.timeout(HTTP_MS) })
}

async function textOf(response: Response): Promise<string> {
  let text = ''
  const decoder = new TextDecoder()
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk as Uint8Array, { stream: true })
    if (text.length > MAX_BYTES) throw new Error('UPnP: the router says too much')
  }
  return text
}

function valueOf(xml: string, name: string): string {
  return new RegExp(`<(?:\\w+:)?${name}[^>]*>\\s*([^<]*?)\\s*</`).exec(xml)?.[1] ?? ''
}
