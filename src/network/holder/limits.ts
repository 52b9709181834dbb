/** What others may make this node keep. */
export interface HolderLimits {
  /** Bytes of the database from which on nothing new of others is taken, unless something less worthy gives way. */
  readonly bytes: number
  /**
   * Entries that nobody here has witnessed: each costs its owner a VDF, and this node a question to its neighbourhood
   * each hour.
   */
  readonly provisional: number
  /**
   * Identities that only a stamp carries, of up to 102 KiB each; as many manifests, of up to 64 KiB, before those of
   * such identities are refused.
   */
  readonly stamped: number
}

export const DEFAULT_HOLDER_LIMITS: HolderLimits = { bytes: 2 * 2 ** 30, provisional: 4_096, stamped: 4_096 }
