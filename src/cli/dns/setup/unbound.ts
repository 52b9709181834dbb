import type { Host } from './host.ts'
import { asksLoopback, settings, type System } from './systems.ts'
import { unboundFile } from '../recipes.ts'

const DIRECTORY = '/etc/unbound/unbound.conf.d'
const RESTART = ['systemctl', 'restart', 'unbound'] as const

function readsDirectory(host: Host): boolean {
  return settings(host.read('/etc/unbound/unbound.conf')).some(
    (line) => /^include(?:-toplevel)?:/u.test(line) && line.includes(DIRECTORY)
  )
}

export const unbound: System = {
  id: 'unbound',
  find: (host) => (host.runs('unbound') ? 'it runs' : undefined),
  isAsked: asksLoopback,
  plan: (host, route) => ({
    files: [unboundFile(route)],
    check: ['unbound-checkconf'],
    commands: [RESTART],
    remarks: ['unbound may now ask other servers on loopback too (do-not-query-localhost: no).'],
    ...(readsDirectory(host)
      ? {}
      : {
          obstacle: {
            detail: `unbound does not read ${DIRECTORY}`,
            cure: `Add the line include-toplevel: "${DIRECTORY}/*.conf" to /etc/unbound/unbound.conf.`
          }
        })
  }),
  directories: [DIRECTORY],
  undo: (host) => (host.runs('unbound') ? [RESTART] : [])
}
