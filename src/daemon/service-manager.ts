/**
 * Tells the service manager how the daemon fares, by the protocol of sd_notify(3): assignments in a datagram to the
 * socket that `$NOTIFY_SOCKET` names. Silent where there is none.
 */
import type { ReadinessCheck } from '../views/readiness.ts'

/** How often the status is told where no watchdog asks for pings. */
const STATUS_INTERVAL_MS = 30_000

/** systemctl shows one line. */
const MAX_STATUS_LENGTH = 200

interface ServiceManagerOptions {
  /** `NOTIFY_SOCKET`, `WATCHDOG_USEC` and `WATCHDOG_PID`. */
  readonly env: NodeJS.ProcessEnv
  readonly pid: number
  /** Sends one datagram; throws. */
  readonly send: (address: string, message: string) => void
}

interface ServiceManager {
  starting(): void
  /**
   * Says that the daemon answers, then pings at half of `$WATCHDOG_USEC`. The timer of the pings is one of the event
   * loop that answers requests: when that hangs, they stop.
   */
  ready(readiness: () => readonly ReadinessCheck[], warn: (message: string) => void): void
  stopping(): void
}

/** A failure to send never ends the daemon: `warn` gets the first in a row. */
export function createServiceManager({ env, pid, send }: ServiceManagerOptions): ServiceManager {
  const address = env['NOTIFY_SOCKET'] ?? ''
  const watchdogMs = watchdogPeriodMs(env, pid)
  let warn: (message: string) => void = () => undefined
  let timer: NodeJS.Timeout | undefined
  let isFailing = false

  function tell(...assignments: readonly string[]): void {
    if (address === '') return
    try {
      send(address, `${assignments.join('\n')}\n`)
      isFailing = false
    } catch (error) {
      if (!isFailing) warn(`the service manager cannot be told how the daemon fares: ${(error as Error).message}`)
      isFailing = true
    }
  }

  return {
    starting: () => tell('STATUS=Starting'),
    ready(readiness, warnOfDaemon) {
      warn = warnOfDaemon
      // Before this, a failure had nobody to be told to.
      isFailing = false
      const status = (): string => {
        try {
          return `STATUS=${statusLine(readiness())}`
        } catch (error) {
          return `STATUS=${oneLine(`Readiness is unknown: ${(error as Error).message}`)}`
        }
      }
      tell('READY=1', status())
      if (address === '') return
      timer = setInterval(
        () => tell(...(watchdogMs === undefined ? [] : ['WATCHDOG=1']), status()),
        watchdogMs === undefined ? STATUS_INTERVAL_MS : watchdogMs / 2
      )
      timer.unref()
    },
    stopping() {
      clearInterval(timer)
      tell('STOPPING=1', 'STATUS=Stopping')
    }
  }
}

/** Undefined where no watchdog waits for this process. */
function watchdogPeriodMs(env: NodeJS.ProcessEnv, pid: number): number | undefined {
  const microseconds = Number(env['WATCHDOG_USEC'] ?? '')
  const isOurs = (env['WATCHDOG_PID'] ?? '') === '' || Number(env['WATCHDOG_PID']) === pid
  return isOurs && Number.isSafeInteger(microseconds) && microseconds > 0 ? microseconds / 1000 : undefined
}

/** What an owner looks for first: what fails, else what needs attention, else how well connected the daemon is. */
export function statusLine(checks: readonly ReadinessCheck[]): string {
  const failing = checks.filter(({ ok }) => !ok)
  const warned = checks.filter(({ warning }) => warning === true)
  const [head, shown] =
    failing.length > 0
      ? ['Not ready', failing]
      : warned.length > 0
        ? ['Needs attention', warned]
        : ['Ready', checks.filter(({ name }) => name === 'peers' || name === 'beacon')]
  return oneLine(`${head}: ${shown.map(({ name, detail }) => `${name}: ${detail}`).join('; ')}`)
}

/** A line break would begin another assignment. */
function oneLine(text: string): string {
  return text.replaceAll(/\p{C}/gu, ' ').slice(0, MAX_STATUS_LENGTH)
}
