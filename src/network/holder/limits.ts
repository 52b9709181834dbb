export interface HolderLimits {
  /** Database bytes from which new records of others need something less worthy to give way. */
  readonly bytes: number
  /**
   * Entries without a witness here: each costs its owner a VDF, and this node an hourly question to its neighbourhood.
   */
  readonly provisional: number
  /**
   * Identities that only a stamp carries, up to 102 KiB each; the same number of their manifests, up to 64 KiB each.
   */
  readonly stamped: number
}

export const DEFAULT_HOLDER_LIMITS: HolderLimits = { bytes: 2 * 2 ** 30, provisional: 4_096, stamped: 4_096 }
