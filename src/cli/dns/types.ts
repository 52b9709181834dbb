export interface Server {
  /** An IP address, never one that means every interface. */
  readonly address: string
  readonly port: number
}

/** The key of the zone, as DS and as DNSKEY. */
export interface Anchor {
  readonly keyTag: number
  readonly algorithm: number
  readonly digestType: number
  /** Upper-case hexadecimal. */
  readonly digest: string
  readonly flags: number
  /** Base64. */
  readonly publicKey: string
}

/** Where the names of a zone are answered, and the key that signs them. */
export interface Route {
  /** Without a closing dot. */
  readonly tld: string
  readonly servers: readonly Server[]
  readonly anchor: Anchor
}

export interface ConfigFile {
  readonly path: string
  /** What begins a comment in this format. */
  readonly comment: '#' | ';'
  /** With its closing line end. */
  readonly body: string
}
