/** What a home's router is asked: to let peers in, and where they then reach this machine. */

export interface Mapped {
  /** The router's own address, public or not, and its port. */
  readonly ip: string
  readonly port: number
}

export interface Router {
  /** Asks for `HELD_SECONDS`; renews what is mapped. Rejects where the router refuses or is silent. */
  map(port: number): Promise<Mapped>
  unmap(port: number): Promise<void>
}

export const HELD_SECONDS = 3_600

/** The address of this machine that a router sees, and that of the router: no other machine of the link is heard. */
export interface Way {
  readonly own: string
  readonly gateway: string
}
