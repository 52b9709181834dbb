/** `chronym/verify` in a Web Worker, which the dashboard starts from `/assets/verify/worker.js`. */
import {
  verifyIdentity,
  verifyManifest,
  verifyPulse,
  verifyReceipt,
  verifyReveal,
  verifyZone,
  type IdentityInput,
  type Options,
  type PulseInput,
  type RevealJson,
  type ZoneInput
} from './browser.ts'

/** `id` comes back with the answer. */
export type VerifyRequest = { readonly id: number; readonly name?: string } & Options &
  (
    | { readonly kind: 'reveal'; readonly reveal: RevealJson | Uint8Array }
    | { readonly kind: 'zone'; readonly zone: ZoneInput }
    | { readonly kind: 'identity'; readonly log: IdentityInput; readonly did?: string }
    | { readonly kind: 'manifest'; readonly manifest: object; readonly log: IdentityInput; readonly at?: number }
    | { readonly kind: 'receipt'; readonly receipt: Uint8Array | string; readonly commitment?: string }
    | ({ readonly kind: 'pulse' } & PulseInput)
  )

/** Of the scope of a worker, which the library of types for Node does not know. */
interface WorkerScope {
  postMessage(message: unknown): void
  addEventListener(type: 'message', listener: (event: { readonly data: VerifyRequest }) => void): void
}

const scope = globalThis as unknown as WorkerScope

scope.addEventListener('message', ({ data: request }) => {
  const { id } = request
  void answer(request).then(
    (result) => scope.postMessage({ id, result }),
    (error: unknown) => scope.postMessage({ id, error: error instanceof Error ? error.message : String(error) })
  )
})

function answer(request: VerifyRequest): Promise<unknown> {
  const { id, profile, name } = request
  switch (request.kind) {
    case 'reveal': {
      const onProgress = (progress: object) => scope.postMessage({ id, progress })
      return verifyReveal(request.reveal, { profile, onProgress, ...(name === undefined ? {} : { name }) })
    }
    case 'zone':
      return verifyZone(request.zone, { profile })
    case 'identity':
      return verifyIdentity(request.log, request)
    case 'manifest':
      return verifyManifest(request.manifest, request)
    case 'receipt':
      return verifyReceipt(request.receipt, request)
    case 'pulse':
      return verifyPulse(request, { profile })
    default:
      return Promise.reject(new TypeError('kind: reveal, zone, identity, manifest, receipt or pulse'))
  }
}
