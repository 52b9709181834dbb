/**
 * A process that plays a home's router: `hostile-router.ts SEED BURST ADDRESS... LIAR`. It answers each request by UDP
 * with BURST mutated answers, and all of HTTP with mutated ones or runs of spaces. The LIAR is another machine of the
 * link, which answers first and leads to its own trap. Each second it prints what it has sent.
 */
import { createServer } from 'node:http'
import type { Socket } from 'node:dgram'
import { setImmediate } from 'node:timers/promises'
import { seededRandom } from '../../scripts/crash/random.ts'
import {
  boundSocket,
  DESCRIPTION,
  mutated,
  portControlAnswer,
  searchAnswer,
  searchListener,
  SOAP_ANSWER,
  SPACES
} from './router-answers.ts'

const HTTP_PORT = 5_000
const MAX_DATAGRAM = 1_400
const [seed, burst] = process.argv.slice(2, 4).map(Number)
const gateways = process.argv.slice(4, -1)
const liar = process.argv.at(-1)!
const random = seededRandom(seed!)
const sent = { datagrams: 0, descriptions: 0, answers: 0, trapped: 0 }

/** Few enough at once that the one who asked can hear them. */
const AT_ONCE = 50

async function flood(
  from: Socket,
  answer: Buffer,
  { port, address }: { port: number; address: string }
): Promise<void> {
  for (let left = burst!; left > 0; left--) {
    from.send(mutated(answer, random, MAX_DATAGRAM), port, address)
    sent.datagrams++
    if (left % AT_ONCE === 0) await setImmediate()
  }
}

const speakers = new Map<string, Socket>()
for (const gateway of gateways) {
  const control = await boundSocket(gateway, 5_351)
  control.on('message', (request, from) => void flood(control, portControlAnswer(request), from))
  speakers.set(gateway, await boundSocket(gateway))
  createServer((request, response) => {
    const isDescription = request.method === 'GET'
    sent[isDescription ? 'descriptions' : 'answers']++
    // Mostly a right description: without one nothing more is asked.
    const right = isDescription ? DESCRIPTION : SOAP_ANSWER
    const kind = random.between(0, 5)
    response.statusCode = isDescription ? 200 : random.pick([200, 500])
    if (kind === 0) response.end(random.pick(SPACES))
    else if (kind === 1) response.write(' '.repeat(100))
    else if (kind === 2) response.writeHead(302, { location: `http://${liar}:${HTTP_PORT}/` }).end()
    else response.end(isDescription ? right : mutated(right, random, 64 * 1024))
  }).listen(HTTP_PORT, gateway)
}
const trap = await boundSocket(liar)
createServer((_, response) => {
  sent.trapped++
  response.end(DESCRIPTION)
}).listen(HTTP_PORT, liar)

const searches = await searchListener(gateways[0]!)
searches.on('message', (_, from) => {
  trap.send(searchAnswer(`http://${liar}:${HTTP_PORT}/`), from.port, from.address)
  for (const [gateway, speaker] of speakers) {
    const answer = searchAnswer(`http://${gateway}:${HTTP_PORT}/desc.xml`)
    speaker.send(searchAnswer(`http://${liar}:${HTTP_PORT}/`), from.port, from.address)
    void flood(speaker, answer, from).then(() => speaker.send(answer, from.port, from.address))
  }
})
process.stdout.write(`${JSON.stringify(sent)}\n`)
setInterval(() => process.stdout.write(`${JSON.stringify(sent)}\n`), 1_000)
