/** The addresses of peers met before, as they are kept on disk. */
import { generateKeyPairFromSeed } from '@libp2p/crypto/keys'
import { peerIdFromPublicKey } from '@libp2p/peer-id'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { Contacts } from '../../../src/network/routing/contacts.ts'
import { sha256, utf8 } from '../../../src/protocol/encoding/bytes.ts'
import { keys } from '../../../src/store/keys.ts'
import { MemoryStore } from '../../registry/claims/fakes.ts'

const MAX_ABSENT = 20

let store: MemoryStore
const addresses: string[] = []
beforeAll(async () => {
  for (let index = 0; index < 30; index++) {
    const { publicKey } = await generateKeyPairFromSeed('Ed25519', sha256(utf8(`peer ${index}`)))
    addresses.push(`/ip4/127.0.0.1/tcp/${4001 + index}/p2p/${peerIdFromPublicKey(publicKey).toString()}`)
  }
})
beforeEach(() => {
  store = new MemoryStore()
})

describe('the contacts of a node', () => {
  it('are there after a restart', () => {
    expect(new Contacts(store).addresses()).toEqual([])
    new Contacts(store).keep(addresses.slice(0, 3))
    expect(new Contacts(store).addresses()).toEqual(addresses.slice(0, 3))
  })

  it('stay while nobody is known, and are not written again while nothing changes', () => {
    const contacts = new Contacts(store)
    contacts.keep(addresses.slice(0, 3))
    let writes = 0
    store.onWrite = () => writes++
    contacts.keep([])
    contacts.keep(addresses.slice(0, 3))
    expect(contacts.addresses()).toEqual(addresses.slice(0, 3))
    expect(writes).toBe(0)
  })

  it('begin with those known now; of those that are absent twenty are kept', () => {
    const contacts = new Contacts(store)
    contacts.keep(addresses.slice(0, 28))
    contacts.keep(addresses.slice(28))
    expect(contacts.addresses()).toEqual([...addresses.slice(28), ...addresses.slice(0, MAX_ABSENT)])
    expect(new Contacts(store).addresses()).toEqual(contacts.addresses())
  })

  it('have the new address of a peer in place of the former one', () => {
    const contacts = new Contacts(store)
    contacts.keep(addresses.slice(0, 2))
    const moved = addresses[1]!.replace('/tcp/4002/', '/tcp/5002/')
    contacts.keep([moved])
    expect(contacts.addresses()).toEqual([moved, addresses[0]])
  })

  it.each([
    ['no JSON', '["/ip4'],
    ['no list', '{}'],
    ['a list of something else', '[1]'],
    ['a list of what is not an address', '["no address"]'],
    ['empty', '']
  ])('are none where what was kept is %s: it is set aside, and new ones are kept', (_what, text) => {
    store.put(keys.contacts(), utf8(text))
    const contacts = new Contacts(store)
    expect(contacts.addresses()).toEqual([])
    expect(store.unreadable).toEqual([keys.contacts()])
    contacts.keep(addresses.slice(0, 1))
    expect(new Contacts(store).addresses()).toEqual(addresses.slice(0, 1))
  })
})
