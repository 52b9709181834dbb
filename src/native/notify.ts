/** Messages to the service manager, which need the addon: Node has no datagram sockets of Unix. */
import { addon } from './addon.ts'

/** See `Addon.notify`. Throws NativeError ADDON_UNAVAILABLE, and an error with code NOTIFY_FAILED. */
export function notify(address: string, message: string): void {
  addon().notify(address, message)
}
