/** The router of the default route, as the operating system knows it: nothing is sent to learn it. */
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { isIPv4 } from 'node:net'
import { join } from 'node:path'

/** Elsewhere than on Linux. By its whole path: Windows looks for programs in the current directory first. */
const NETSTAT: Partial<Record<NodeJS.Platform, string>> = {
  darwin: '/usr/sbin/netstat',
  freebsd: '/usr/bin/netstat',
  win32: join(process.env['SystemRoot'] ?? 'C:\\Windows', 'System32', 'netstat.exe')
}
const NETSTAT_LIMITS = { timeout: 5_000, maxBuffer: 128 * 1024, windowsHide: true }

export async function gatewayByIPv4(): Promise<string | undefined> {
  const netstat = NETSTAT[process.platform]
  if (netstat !== undefined) return gatewayIn(await outputOf(netstat, '-rn'))
  const [, , gateway] = (await routesOf('route')).find(([, destination]) => destination === '00000000') ?? []
  if (gateway === undefined || gateway === '00000000') return undefined
  return Buffer.from(gateway, 'hex').reverse().join('.')
}

/** On Linux alone. */
export async function gatewayByIPv6(): Promise<string | undefined> {
  const isDefault = ([destination, length, , , next]: string[]): boolean =>
    /^0{32}$/.test(destination!) && length === '00' && /[1-9a-f]/.test(next ?? '')
  const route = (await routesOf('ipv6_route')).find(isDefault)
  if (route === undefined) return undefined
  const gateway = route[4]!.match(/.{4}/g)!.join(':')
  return gateway.startsWith('fe80') ? `${gateway}%${route[9]!}` : gateway
}

/** What netstat shows: `default GATEWAY` on macOS and FreeBSD, `0.0.0.0 0.0.0.0 GATEWAY` on Windows. */
export function gatewayIn(table: string): string | undefined {
  return table
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line.startsWith('default') || line.startsWith('0.0.0.0'))
    .map((line) => line.split(/\s+/))
    .map(([first, second, third]) =>
      first === 'default' ? second : first === '0.0.0.0' && second === first ? third : ''
    )
    .find((gateway) => isIPv4(gateway ?? ''))
}

/** By `self`, since the systemd unit shows nothing else. */
async function routesOf(file: 'route' | 'ipv6_route'): Promise<string[][]> {
  const routes = await readFile(`/proc/self/net/${file}`, 'latin1').catch(() => '')
  return routes.split('\n').map((line) => line.trim().split(/\s+/))
}

function outputOf(program: string, option: string): Promise<string> {
  return new Promise((resolve) => {
    execFile(program, [option], NETSTAT_LIMITS, (error, output) => resolve(error === null ? output : ''))
  })
}
