/** An origin with TLS, and what leads there, each in its own process: our proxy, nginx and HAProxy. */
import { spawn, type ChildProcess } from 'node:child_process'
import { createHash, createPublicKey, generateKeyPairSync, X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { connect, createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { programOf } from '../../scripts/packages.ts'
import { end, firstLine, passErrorsOn, run } from '../../scripts/program.ts'
import { zoneToWire } from '../../src/dns/wire.ts'
import { addon } from '../../src/native/addon.ts'
import { builtInProfiles } from '../../src/protocol/profile/built-in.ts'
import { endWithUs, scratchDirectory } from '../network/scratch.ts'
import { until } from '../network/waiting.ts'
import type { Served } from './ours.ts'

export const NAME = 'alice.chronym'
/** Of the large answer. */
export const BIG_BYTES = 16 * 2 ** 20

export interface Measured {
  readonly pid: number
  readonly port: number
  /** Where the client asks for a tunnel first. */
  readonly isProxy: boolean
  /** What vouches for the certificate that it shows. */
  readonly ca: string
  stop(): Promise<unknown>
}

/** `-tls`: TLS to the origin too, with a handshake for each connection, as ours does it. */
export type Kind = 'ours' | 'nginx-tls' | 'haproxy-tls' | 'nginx' | 'haproxy'

export interface Scene {
  /** Bound to this CPU, if any. Our own proxy runs this number of evaluations in its process meanwhile. */
  start(kind: Kind, cpu: number | null, evaluations?: number): Promise<Measured>
  readonly originPort: number
}

/** `cpu`: that of the origin; null where it can't be bound. */
export async function startScene(cpu: number | null): Promise<Scene> {
  const directory = scratchDirectory()
  const now = Math.floor(Date.now() / 1000)
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const der = privateKey.export({ format: 'der', type: 'pkcs8' })
  const certificate = new X509Certificate(addon().serverCertificate(der, [NAME], now))
  const pem = join(directory, 'server.pem')
  writeFileSync(pem, `${privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()}${certificate.toString()}`, {
    mode: 0o600
  })
  const files = join(directory, 'files')
  mkdirSync(files)
  writeFileSync(join(files, 'small'), 'a page')
  writeFileSync(join(files, 'big'), Buffer.alloc(BIG_BYTES, 'big '))
  const [originPort, plainPort] = [await freePort(), await freePort()]
  const nginx = (name: string, port: number, http: string, bound: number | null): Promise<Measured> => {
    const file = join(directory, `${name}.conf`)
    const folder = join(directory, name)
    mkdirSync(folder, { recursive: true })
    writeFileSync(
      file,
      `daemon off; master_process off; pid ${folder}/pid; error_log stderr; worker_rlimit_nofile 8192;
       events { worker_connections 4096; }
       http { access_log off; client_body_temp_path ${folder}; proxy_temp_path ${folder}; fastcgi_temp_path ${folder};
       uwsgi_temp_path ${folder}; scgi_temp_path ${folder}; ssl_protocols TLSv1.3; ssl_session_cache off;
       ssl_session_tickets off; ssl_certificate ${pem}; ssl_certificate_key ${pem}; ${http} }`
    )
    return started(spawn(...withCpu(bound, programOf('nginx'), ['-p', folder, '-c', file]), QUIET), port)
  }
  const haproxy = (name: string, port: number, backend: string, bound: number | null): Promise<Measured> => {
    const file = join(directory, `${name}.cfg`)
    const listen = `bind 127.0.0.1:${port} ssl crt ${pem} ssl-min-ver TLSv1.3 no-tls-tickets`
    writeFileSync(
      file,
      `global\n nbthread 1\n maxconn 4096\n tune.ssl.cachesize 0\ndefaults\n mode http\n timeout connect 10s\n` +
        ` timeout client 600s\n timeout server 600s\nlisten site\n ${listen}\n server origin ${backend}\n`
    )
    return started(spawn(...withCpu(bound, programOf('haproxy'), ['-db', '-f', file]), QUIET), port)
  }
  const started = async (child: ChildProcess, port: number): Promise<Measured> => {
    endWithUs(child)
    let said = ''
    child.stderr!.setEncoding('utf8').on('data', (chunk: string) => (said += chunk))
    await until('a server listens', () => {
      if (child.exitCode !== null) throw new Error(said)
      return isListening(port)
    })
    return { pid: child.pid!, port, isProxy: false, ca: certificate.toString(), stop: () => end(child, 'SIGTERM') }
  }
  await nginx(
    'origin',
    originPort,
    `server { listen 127.0.0.1:${originPort} ssl; listen 127.0.0.1:${plainPort}; root ${files}; client_header_timeout 600s; }`,
    cpu
  )
  const authority = Buffer.from(addon().authorityCertificate(der, 'chronym', now))
  const spki = createPublicKey(privateKey).export({ format: 'der', type: 'spki' })
  const records = {
    '@': [{ type: 'A' as const, value: '127.0.0.1' }],
    [`_${originPort}._tcp`]: [
      { type: 'TLSA' as const, value: `3 1 1 ${createHash('sha256').update(spki).digest('hex')}` }
    ]
  }
  const served: Served = {
    key: der.toString('base64'),
    authority: authority.toString('base64'),
    name: NAME,
    records: Buffer.from(zoneToWire({ records }, NAME, builtInProfiles.local)).toString('base64')
  }
  const servedFile = join(directory, 'served.json')
  writeFileSync(servedFile, JSON.stringify(served), { mode: 0o600 })
  const ours = async (bound: number | null, evaluations: number): Promise<Measured> => {
    const within = bound === null ? [] : ['taskset', '-c', String(bound)]
    const child = run('bench/https/ours.ts', [servedFile, String(evaluations)], { within })
    endWithUs(child)
    passErrorsOn(child)
    const { port } = await firstLine<{ port: number }>(child)
    const ca = new X509Certificate(authority).toString()
    return { pid: child.pid!, port, isProxy: true, ca, stop: () => end(child, 'SIGTERM') }
  }
  return {
    originPort,
    async start(kind, bound, evaluations = 0) {
      if (kind === 'ours') return ours(bound, evaluations)
      const port = await freePort()
      const isTls = kind.endsWith('-tls')
      if (kind.startsWith('haproxy')) {
        const verified = `ssl verify required ca-file ${pem} verifyhost ${NAME} sni str(${NAME}) no-ssl-reuse`
        return haproxy(kind, port, `127.0.0.1:${isTls ? `${originPort} ${verified}` : plainPort}`, bound)
      }
      const verified = `proxy_pass https://127.0.0.1:${originPort}; proxy_ssl_verify on; proxy_ssl_name ${NAME};
        proxy_ssl_server_name on; proxy_ssl_trusted_certificate ${pem}; proxy_ssl_session_reuse off;
        proxy_ssl_protocols TLSv1.3;`
      return nginx(
        kind,
        port,
        `server { listen 127.0.0.1:${port} ssl; location / { proxy_max_temp_file_size 0;
         ${isTls ? verified : `proxy_pass http://127.0.0.1:${plainPort};`} } }`,
        bound
      )
    }
  }
}

const QUIET = { stdio: ['ignore', 'ignore', 'pipe'] as ['ignore', 'ignore', 'pipe'] }

function withCpu(cpu: number | null, program: string, args: readonly string[]): [string, string[]] {
  return cpu === null ? [program, [...args]] : ['taskset', ['-c', String(cpu), program, ...args]]
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}

/** Memory of a process in use, bytes. */
export function residentBytes(pid: number): number {
  return Number(/^VmRSS:\s*(\d+) kB$/mu.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) * 1024
}
