/**
 * A farm of several accounts of one NATS server, each with workers of another owner. The server lets no account see
 * another's subjects, streams and buckets. So what one worker has, only this daemon brings to another account: with the
 * checkpoints that are on its own disk.
 */
import type { Computation, FarmPlace, PlaceHandle } from '../evaluations/places.ts'
import type { Checkpoint, EvaluationRequest } from '../native/types.ts'
import type { FarmView } from '../views/farm.ts'
import type { Farm } from './farm.ts'
import { jobOf } from './messages.ts'

/** Workers choose their names; who owns the key of an account has no further ones after that many that lied. */
const MAX_LIARS = 3

type Account = Pick<Farm, 'start' | 'leave' | 'close' | 'view' | 'liars' | 'reached' | keyof FarmPlace>

export class FarmAccounts implements FarmPlace {
  readonly #accounts: readonly Account[]
  /** By job, which one {@link holds} found to be the furthest. */
  readonly #holders = new Map<string, Account>()

  constructor(accounts: readonly Account[]) {
    this.#accounts = accounts
  }

  async start(): Promise<void> {
    await Promise.all(this.#accounts.map((account) => account.start()))
  }

  leave(): void {
    for (const account of this.#accounts) account.leave()
  }

  async close(): Promise<void> {
    await Promise.all(this.#accounts.map((account) => account.close()))
  }

  isThere(computation?: Computation): boolean {
    const accounts = computation === undefined ? this.#trusted() : this.#taking(computation)
    return accounts.some((account) => account.view().connected && account.isThere())
  }

  room(): number {
    return this.#trusted().reduce((sum, account) => sum + account.room(), 0)
  }

  isAtWork(computation: Computation): boolean {
    return this.#taking(computation).some((account) => account.isAtWork(computation))
  }

  accepts(computation: Computation): boolean {
    return this.#taking(computation).length > 0
  }

  async holds(computation: Computation): Promise<boolean> {
    const accounts = this.#taking(computation)
    const reached = await Promise.all(accounts.map((account) => account.reached(computation)))
    const furthest = Math.max(...reached.filter((squarings) => squarings !== undefined))
    const holder = accounts[reached.indexOf(furthest)]
    const job = jobOf(computation)
    if (holder === undefined) this.#holders.delete(job)
    else this.#holders.set(job, holder)
    return holder !== undefined
  }

  evaluate(request: EvaluationRequest, onCheckpoint: (checkpoint: Checkpoint) => void): PlaceHandle | undefined {
    const job = jobOf(request)
    const account = this.#holders.get(job) ?? this.#roomiest(request)
    this.#holders.delete(job)
    return account?.evaluate(request, onCheckpoint)
  }

  forget(computation: Computation): void {
    this.#holders.delete(jobOf(computation))
    for (const account of this.#accounts) account.forget(computation)
  }

  hasForgotten(computation: Computation): boolean {
    return this.#accounts.every((account) => account.hasForgotten(computation))
  }

  view(): FarmView {
    const views = this.#accounts.map((account) => account.view())
    return {
      enabled: true,
      connected: views.some(({ connected }) => connected),
      workers: views.flatMap(({ workers }) => workers),
      tasks: views.reduce((sum, { tasks }) => sum + tasks, 0),
      wrong_proofs: views.reduce((sum, { wrong_proofs: wrong }) => sum + wrong, 0),
      barred: views.flatMap(({ barred }) => barred),
      outdated: views.flatMap(({ outdated }) => outdated)
    }
  }

  /** Asked for each task that waits, so that it looks at no worker. */
  #trusted(): readonly Account[] {
    return this.#accounts.filter((account) => account.liars() < MAX_LIARS)
  }

  #taking(computation: Computation): readonly Account[] {
    return this.#trusted().filter((account) => account.accepts(computation))
  }

  #roomiest(computation: Computation): Account | undefined {
    const spare = (account: Account): number => account.room() - account.view().tasks
    return this.#taking(computation)
      .filter((account) => account.view().connected)
      .sort((one, other) => Number(other.isThere()) - Number(one.isThere()) || spare(other) - spare(one))[0]
  }
}
