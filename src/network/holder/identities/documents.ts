/** Identity logs and manifests that this node holds for the network. */
import type { Origin } from '../../../protocol/neighbourhood/diversity.ts'
import type { DocumentKind } from '../../../store/keys.ts'
import type { PutAnswer } from '../../wire/put.ts'
import { Carriers } from './carriers.ts'
import type { DocumentHolderParts } from './document-parts.ts'
import { HeldDocuments } from './held-documents.ts'
import { OfferedIdentities } from './offered-identities.ts'
import { OfferedManifests } from './offered-manifests.ts'
import { UnkeptDocuments } from './unkept-documents.ts'

export class DocumentHolder {
  readonly #held: HeldDocuments
  readonly #identities: OfferedIdentities
  readonly #manifests: OfferedManifests
  readonly #unkept: UnkeptDocuments

  constructor(parts: DocumentHolderParts) {
    const held = new HeldDocuments(parts)
    const carriers = new Carriers(parts)
    this.#held = held
    this.#identities = new OfferedIdentities(parts, held, carriers)
    this.#manifests = new OfferedManifests(parts, held, carriers)
    this.#unkept = new UnkeptDocuments(parts, held, carriers)
  }

  offerIdentity(bytes: Uint8Array, sender: Origin): Promise<PutAnswer> {
    return this.#identities.offer(bytes, sender)
  }

  offerManifest(bytes: Uint8Array, sender: Origin): Promise<PutAnswer> {
    return this.#manifests.offer(bytes, sender)
  }

  get(kind: DocumentKind, key: Uint8Array): Uint8Array | undefined {
    return this.#held.get(kind, key)
  }

  all(): IterableIterator<{ kind: DocumentKind; key: Uint8Array; record: Uint8Array }> {
    return this.#held.all()
  }

  count(): number {
    return this.#held.count()
  }

  /** Deletes identities that nothing carries, their manifests, and expired manifests. */
  dropUnkept(): Promise<void> {
    return this.#unkept.drop()
  }
}
