/** For the npm package `did-resolver`: `new Resolver(getResolver())` resolves DIDs through a daemon. */

/** As `did-resolver` types it; repeated here since this package does not depend on it. */
export interface DidResolutionResult {
  readonly '@context'?: 'https://w3id.org/did-resolution/v1'
  didResolutionMetadata: { contentType?: string; error?: string; message?: string }
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- did-resolver's own type of a document
  didDocument: any
  didDocumentMetadata: Record<string, unknown>
}

export interface ResolverOptions {
  /** Of the daemon. */
  readonly url?: string
  /** Needed in a page of another origin, unless the daemon allows the origin. */
  readonly token?: string
  /** The `did_method` of the network. */
  readonly method?: string
  readonly fetch?: typeof globalThis.fetch
}

type DidResolver = (
  did: string,
  parsed: { readonly query?: string; readonly path?: string }
) => Promise<DidResolutionResult>

const ACCEPT = 'application/ld+json;profile="https://w3id.org/did-resolution"'

/**
 * A map from the method to its resolver. A failure is a result with `error`, as `did-resolver` wants it; `internalError`
 * where the daemon does not answer.
 */
export function getResolver({
  url = 'http://127.0.0.1:7468',
  token,
  method = 'chronym',
  fetch = globalThis.fetch
}: ResolverOptions = {}): Record<string, DidResolver> {
  const base = url.replace(/(?<!\/)\/+$/u, '')
  return {
    [method]: async (did, { query, path = '' }) => {
      const target = `${base}/1.0/identifiers/${encodeURIComponent(did + path)}${query === undefined ? '' : `?${query}`}`
      try {
        const response = await fetch(target, {
          redirect: 'error',
          headers: { Accept: ACCEPT, ...(token !== undefined && { Authorization: `Bearer ${token}` }) }
        })
        const body = (await response.json()) as DidResolutionResult | { detail?: string }
        if ('didResolutionMetadata' in body) return body
        return failed(body.detail ?? `The daemon answers with status ${response.status}.`)
      } catch (error) {
        return failed(`${base} does not answer: ${error instanceof Error ? error.message : String(error)}`)
      }
    }
  }
}

function failed(message: string): DidResolutionResult {
  return { didResolutionMetadata: { error: 'internalError', message }, didDocument: null, didDocumentMetadata: {} }
}
