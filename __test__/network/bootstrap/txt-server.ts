/** A name server with TXT records, on loopback unless a host is named. */
import { DnsScene, nameOf, say } from '../../cli/dns/scene.ts'

export class TxtServer {
  /** By name, without `_dnsaddr.`; changed at will. */
  readonly lists = new Map<string, readonly string[]>()
  /** Names in the order of the questions. */
  readonly asked: string[] = []
  isDown = false
  readonly #host: string
  #port = 0

  private constructor(host: string) {
    this.#host = host
  }

  static async start(scene: DnsScene, host = '127.0.0.1'): Promise<TxtServer> {
    const server = new TxtServer(host)
    server.#port = await scene.nameServer((query, transport) => server.#reply(query, transport), host)
    return server
  }

  get address(): string {
    return `${this.#host}:${this.#port}`
  }

  #reply(query: Buffer, transport: 'udp' | 'tcp'): Buffer {
    if (this.isDown) return say(query, { rcode: 2 })
    const name = nameOf(query).replace(/^_dnsaddr\./, '')
    if (transport === 'udp') this.asked.push(name)
    const texts = this.lists.get(name)
    if (texts === undefined) return say(query, { rcode: 3 })
    const reply = say(query, { data: texts.map(txtData) })
    return transport === 'udp' && reply.length > 1232 ? say(query, { tc: true }) : reply
  }
}

/** Character strings of 255 octets at most. */
function txtData(text: string): Buffer {
  const bytes = Buffer.from(text)
  const parts = Array.from({ length: Math.ceil(bytes.length / 255) }, (_, index) => {
    const part = bytes.subarray(255 * index, 255 * (index + 1))
    return Buffer.concat([Buffer.from([part.length]), part])
  })
  return Buffer.concat(parts)
}
