/** The npm package did-resolver, with a daemon behind it. */
import { Resolver } from 'did-resolver'
import { withDaemon } from './daemon.ts'
import { type Outcome, outcome } from './outcome.ts'
import { getResolver } from '../../src/api/client/did-resolver.ts'

export async function identities(): Promise<Outcome[]> {
  return withDaemon(async ({ url, chronym }) => {
    const created = await chronym('--json', 'kid', 'create', '--publish')
    const did = /did:chronym:\w+/u.exec(created)?.[0] ?? 'did:chronym:none'
    const resolver = new Resolver(getResolver({ url }))
    const failing = async (what: string, wrong: string, error: string): Promise<Outcome> => {
      const found = await resolver.resolve(wrong)
      return outcome(what, found.didResolutionMetadata.error === error, JSON.stringify(found))
    }
    const found = await resolver.resolve(did)
    return [
      outcome(
        'a published DID has its document',
        found.didDocument?.id === did,
        `${created}\n${JSON.stringify(found)}`
      ),
      await failing('a DID that nobody published', `${did.slice(0, -1)}${did.endsWith('1') ? '2' : '1'}`, 'notFound'),
      await failing('text that is no DID', 'chronym', 'invalidDid'),
      await failing('a method of others', 'did:example:1', 'unsupportedDidMethod')
    ]
  })
}
