/** Which requests a browser sends to the proxy for https: proxy auto-configuration. Pure, for daemon, command line and page. */

/** An IP address without brackets. */
interface Proxy {
  readonly address: string
  readonly port: number
}

export const PROXY_RULES_TYPE = 'application/x-ns-proxy-autoconfig'

/** Names of the zone go to the proxy, all others do not. `null`: none does. */
export function proxyRules(tld: string, proxy: Proxy | null): string {
  const direct = '"DIRECT"'
  if (proxy === null) return `function FindProxyForURL(url, host) { return ${direct} }\n`
  const address = proxy.address.includes(':') ? `[${proxy.address}]` : proxy.address
  const isOfZone = String.raw`/\.${tld}\.?$/i.test(host)`
  return `function FindProxyForURL(url, host) { return ${isOfZone} ? "PROXY ${address}:${proxy.port}" : ${direct} }\n`
}

/** The rules themselves as an address: nobody who takes the daemon's port while it is stopped can give others. */
export function proxyRulesAddress(tld: string, proxy: Proxy): string {
  return `data:${PROXY_RULES_TYPE};base64,${btoa(proxyRules(tld, proxy))}`
}
