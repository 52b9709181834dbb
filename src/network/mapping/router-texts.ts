/**
 * The texts of a UPnP router. Each function goes once through its text, and gives nothing on: a caller checks the form
 * of a value before it uses it.
 */

/** Of an answer to a search; those of routers have some 400 bytes. */
const MAX_ANSWER_BYTES = 2_048

/** The services that map ports. */
const SERVICE = /^urn:schemas-upnp-org:service:WAN(?:IP|PPP)Connection:[12]$/

interface MappingService {
  readonly service: string
  /** Where it is asked, as the description says it. */
  readonly path: string
}

/** The description's address in an answer to a search; empty where there is none. */
export function locationIn(answer: Buffer): string {
  for (const line of answer.toString('latin1', 0, MAX_ANSWER_BYTES).split('\n')) {
    const colon = line.indexOf(':')
    if (line.slice(0, colon).toLowerCase() === 'location') return line.slice(colon + 1).trim()
  }
  return ''
}

/** The service of a description that maps ports, the latest version first. */
export function mappingServiceIn(description: string): MappingService | undefined {
  const services: { service: string; path: string }[] = []
  for (const { name, text } of elementsOf(description)) {
    if (name === 'service') services.push({ service: '', path: '' })
    const last = services.at(-1)
    if (last === undefined) continue
    if (name === 'serviceType') last.service = text
    if (name === 'controlURL') last.path = text
  }
  return services
    .filter(({ service }) => SERVICE.test(service))
    .sort((left, right) => right.service.localeCompare(left.service))[0]
}

/** The text of the first element with this name; empty where there is none. */
export function valueIn(xml: string, wanted: string): string {
  for (const { name, text } of elementsOf(xml)) if (name === wanted) return text
  return ''
}

/**
 * Each element that opens: its name without a prefix, and the text until the next mark. Entities stay as they are: no
 * value that is used has one.
 */
function* elementsOf(xml: string): Generator<{ readonly name: string; readonly text: string }> {
  let open = xml.indexOf('<')
  while (open >= 0) {
    const isComment = xml.startsWith('<!--', open)
    const end = isComment ? xml.indexOf('-->', open) : xml.indexOf('>', open)
    if (end < 0) return
    const next = xml.indexOf('<', end)
    if (!isComment) {
      const [tag = ''] = xml.slice(open + 1, end).split(/[\s/]/, 1)
      yield { name: tag.slice(tag.indexOf(':') + 1), text: xml.slice(end + 1, next < 0 ? undefined : next).trim() }
    }
    open = next
  }
}
