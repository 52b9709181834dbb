/** What an honest holder answers to each request but a look-up. */
import type { Holder } from '../../../src/network/holder/holder.ts'
import type { Peer } from '../../../src/network/peers.ts'
import type { Answer, Request } from '../../../src/network/wire/messages.ts'

export async function answerOf(
  holder: Holder,
  request: Exclude<Request, { type: 'find' }>,
  sender: Peer
): Promise<Answer> {
  const handlers = holder.handlers()
  switch (request.type) {
    case 'commit':
      return handlers.commit(request, sender)
    case 'put':
      return handlers.put(request, sender)
    case 'get':
      return handlers.get(request, sender)
    case 'list':
      return handlers.list(request, sender)
    case 'commitments':
      return handlers.commitments(request, sender)
    case 'reach':
      return { type: 'busy' }
  }
}
