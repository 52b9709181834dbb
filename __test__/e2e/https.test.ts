/**
 * https for a registered name in the programs that people use: one command makes the authority of the machine, then a
 * fresh profile of Chromium opens the site without a warning, by the proxy of a real daemon.
 */
import { createHash, generateKeyPairSync, type KeyObject, createPublicKey, X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer as createPlainServer } from 'node:http'
import { createSecureServer } from 'node:http2'
import { connect as connectTcp, createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net'
import { join } from 'node:path'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import { text } from 'node:stream/consumers'
import { chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { needPackages, programOf } from '../../scripts/packages.ts'
import { end } from '../../scripts/program.ts'
import { addon } from '../../src/native/addon.ts'
import { local } from '../../src/protocol/profile/built-in.ts'
import { runProgram } from './dns/programs.ts'
import { eventually, runToEnd, Scene, type Daemon } from './processes.ts'

const NAME = 'alice.chronym'
const CLI = 'src/cli/main.ts'
/** A name costs little. */
const PROFILE = {
  ...local,
  id: 'https-programs',
  difficulty: { base: 20_000, by_length: [{ from: 1, factor: 1 }] },
  stamp_bits: 6,
  contest: 3
}

const BIG = 4 * 2 ** 20

const scene = new Scene()
let home: string
let environment: Record<string, string>
let directory: string
let daemon: Daemon
let proxy: { readonly port: number; readonly ready: boolean }
/** The name with its check code: the daemon vouches for it at once. */
let coded: string
let codedNames: ReadonlyMap<string, string>
/** A host below it, whose private address is allowed. */
let site: string
/** Ports of the origins: with the key of the record, with another, and without a record. */
const ports: Record<'right' | 'wrong' | 'bare' | 'plain', number> = { right: 0, wrong: 0, bare: 0, plain: 0 }

const newKey = (): KeyObject => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey

async function startOrigin(key: KeyObject): Promise<number> {
  const certificate = addon().serverCertificate(
    key.export({ format: 'der', type: 'pkcs8' }),
    [NAME],
    (Date.now() / 1000) | 0
  )
  const origin = createSecureServer(
    {
      key: key.export({ format: 'pem', type: 'pkcs8' }),
      cert: new X509Certificate(certificate).toString(),
      allowHTTP1: true
    },
    (request, response) => {
      if (request.method === 'POST') {
        let count = 0
        request.on('data', (chunk: Buffer) => (count += chunk.length))
        request.on('end', () => response.end(`${count} bytes`))
        return
      }
      response.setHeader('content-type', 'text/html')
      response.end(`<title>the page of alice</title><p>HTTP/${request.httpVersion} for ${request.authority}`)
    }
  )
  origin.listen(0, '127.0.0.1')
  await once(origin, 'listening')
  scene.onEnd(() => origin.close())
  return (origin.address() as AddressInfo).port
}

const pinOf = (key: KeyObject): string =>
  createHash('sha256')
    .update(createPublicKey(key).export({ format: 'der', type: 'spki' }))
    .digest('hex')

beforeAll(async () => {
  needPackages(['chromium', 'curl', 'libnss3-tools', 'nginx', 'caddy'])
  home = scene.directory()
  directory = join(home, 'data')
  const keys = { right: newKey(), wrong: newKey(), other: newKey() }
  ports.right = await startOrigin(keys.right)
  ports.wrong = await startOrigin(keys.wrong)
  ports.bare = await startOrigin(keys.right)
  const plain = createPlainServer((request, response) =>
    response.end(`plain for ${request.headers.host}${request.url}`)
  )
  plain.listen(0, '127.0.0.1')
  await once(plain, 'listening')
  scene.onEnd(() => plain.close())
  ports.plain = (plain.address() as AddressInfo).port

  const profile = join(home, 'profile.json')
  writeFileSync(profile, JSON.stringify(PROFILE))
  environment = { HOME: home, CHRONYM_NETWORK: profile }
  const where = ['--network', profile, '--data-dir', directory, '--log-level', 'warn', '--dns-listen', '127.0.0.1:0']
  const first = await scene.daemon(where)
  const address = [{ type: 'A', value: '127.0.0.1' }]
  const pin = (key: KeyObject) => [{ type: 'TLSA', value: `3 1 1 ${pinOf(key)}` }]
  const records = {
    '@': address,
    site: address,
    [`_${ports.right}._tcp`]: pin(keys.right),
    [`_${ports.right}._tcp.site`]: pin(keys.right),
    [`_${ports.wrong}._tcp.site`]: pin(keys.other)
  }
  // Each name may be published five times in a row.
  const zones = { [NAME]: records, 'nginx.chronym': { '@': address }, 'caddy.chronym': { '@': address } }
  const tasks = Object.entries(zones).map(async ([name, records]) => {
    const { body: task } = await first.request('POST', '/api/vdf/register', { name, zone: { records } })
    await eventually(
      () => first.request('GET', `/api/vdf/status/${String(task.task_id)}`),
      ({ body }) => body.status === 'completed'
    )
  })
  await Promise.all(tasks)
  const { body: names } = await first.request('GET', '/api/names')
  codedNames = new Map((names as { name: string; coded_name: string }[]).map((each) => [each.name, each.coded_name]))
  coded = codedNames.get(NAME)!
  site = `site.${coded}`
  await first.signal('SIGTERM')
  const setup = await runToEnd(CLI, ['--data-dir', directory, 'https', 'setup', '--yes'], {
    environment
  })
  expect(setup, setup.stderr).toMatchObject({ code: 0 })
  daemon = await scene.daemon([
    ...[...where, '--https-enabled', 'true', '--https-listen', '127.0.0.1:0'],
    ...[
      '--https-allow-private',
      [site, NAME, codedNames.get('nginx.chronym'), codedNames.get('caddy.chronym')].join(',')
    ]
  ])
  proxy = (await daemon.request('GET', '/api/dns')).body.https
})

afterAll(() => scene.end())

const authority = (): string => readFileSync(join(directory, 'https-authority.pem'), 'utf8')
const curl = (...args: string[]) =>
  runProgram(programOf('curl'), [
    ...['-sS', '--max-time', '30', '--proxy', `http://127.0.0.1:${proxy.port}`],
    ...['--cacert', join(directory, 'https-authority.pem'), ...args]
  ])

/** A tunnel as programs open it; gives what the proxy answered. */
async function tunnel(host: string, port: number): Promise<{ readonly socket: Socket; readonly answer: string }> {
  const socket = connectTcp({ port: proxy.port, host: '127.0.0.1', allowHalfOpen: true })
  socket.write(`CONNECT ${host}:${port} HTTP/1.1\r\nHost: ${host}:${port}\r\n\r\n`)
  const [answer] = (await once(socket, 'data')) as [Buffer]
  return { socket, answer: answer.toString('latin1') }
}

async function encrypted(host: string, port: number, servername = host): Promise<TLSSocket> {
  const { socket, answer } = await tunnel(host, port)
  expect(answer).toMatch(/^HTTP\/1\.1 200 /u)
  const tls = connectTls({ socket, servername, ca: authority() })
  await once(tls, 'secureConnect')
  return tls
}

/** A browser with a profile that nobody has used, and the home of the user that ran the command. */
async function withPage<T>(act: (page: Page) => Promise<T>): Promise<T> {
  mkdirSync(join(home, 'profile'), { recursive: true })
  const browser = await chromium.launchPersistentContext(join(home, 'profile'), {
    executablePath: programOf('chromium'),
    env: { ...process.env, HOME: home },
    args: [
      ...['--headless=new', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
      ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
      `--proxy-pac-url=${daemon.summary.api_url}/proxy.pac`
    ]
  })
  try {
    return await act(await browser.newPage())
  } finally {
    await browser.close()
  }
}

/** Of this machine, where nothing listens now. */
async function freePort(): Promise<number> {
  const server = createTcpServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

/** A server with the certificate that `https cert` puts into the home directory. */
async function serverOf(kind: 'nginx' | 'caddy') {
  const port = await freePort()
  const file = join(home, `${kind}.chronym.pem`)
  const config = join(home, `${kind}.conf`)
  const admin = join(home, 'caddy.sock')
  writeFileSync(
    config,
    kind === 'nginx'
      ? `daemon off; pid ${home}/nginx.pid; error_log stderr; events {}
         http { access_log off; server { listen 127.0.0.1:${port} ssl; ssl_certificate ${file}; ssl_certificate_key ${file};
         location / { return 200 "from nginx"; } } }`
      : `{\n admin unix/${admin}\n auto_https off\n}\n:${port} {\n bind 127.0.0.1\n tls ${file} ${file}\n respond "from caddy"\n}\n`
  )
  const program = programOf(kind)
  const args = kind === 'nginx' ? ['-p', home, '-c', config] : ['run', '--adapter', 'caddyfile', '--config', config]
  const reload =
    kind === 'nginx'
      ? `${program} -p ${home} -c ${config} -s reload`
      : `${program} reload --force --adapter caddyfile --config ${config} --address unix/${admin}`
  const start = async (): Promise<void> => {
    const env = { ...process.env, HOME: home, XDG_DATA_HOME: home, XDG_CONFIG_HOME: home }
    const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'], env })
    // SIGKILL would leave nginx's workers.
    scene.onEnd(() => end(child, 'SIGTERM'))
    let said = ''
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => (said += chunk))
    await eventually(
      () =>
        new Promise<boolean>((resolve) => {
          const socket = connectTcp(port, '127.0.0.1')
          socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
          socket.once('connect', () => socket.destroy())
        }),
      (isThere) => {
        if (child.exitCode !== null) throw new Error(said)
        return isThere
      }
    )
  }
  return { port, reload, start }
}

/** Resolves once it has changed its key twice while requests came; rejects with the first that failed. */
async function rollUnderLoad(kind: 'nginx' | 'caddy'): Promise<void> {
  const name = `${kind}.chronym`
  const host = codedNames.get(name)!
  const { port, reload, start } = await serverOf(kind)
  const cert = (...args: string[]) =>
    runToEnd(CLI, ['--data-dir', directory, 'https', 'cert', name, '--out', home, '--port', `${port}`, ...args], {
      environment
    })
  const file = join(home, `${name}.pem`)
  const made = await cert()
  expect(made, made.stderr).toMatchObject({ code: 0 })
  expect(JSON.parse(made.stdout)).toMatchObject({ file, hosts: [name, host], name })
  expect(statSync(file).mode & 0o777).toBe(0o600)
  await start()
  const keys = new Set<string>([readFileSync(file, 'utf8')])
  const rolling = { isOver: false }
  let count = 0
  const load = (async () => {
    while (!rolling.isOver) {
      const tls = await encrypted(host, port)
      tls.end(`GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)
      expect(await text(tls)).toContain(`from ${kind}`)
      count++
    }
  })()
  for (let round = 0; round < 2; round++) {
    const rolled = await cert('--roll', '--wait', '1', '--reload', reload)
    expect(rolled, rolled.stderr).toMatchObject({ code: 0 })
    keys.add(readFileSync(file, 'utf8'))
  }
  rolling.isOver = true
  await load
  expect(keys.size).toBe(3)
  expect(count).toBeGreaterThan(10)
  const { body: zone } = await daemon.request('GET', `/api/zone/${name}`)
  expect(zone.records[`_${port}._tcp`]).toHaveLength(1)
  expect(existsSync(join(home, `${name}.old.pem`)) || existsSync(join(home, `${name}.next.pem`))).toBe(false)
}

describe('https for a registered name', () => {
  it('has a fresh Chromium open the site without a warning, and say why it opens no other', async () => {
    expect(proxy.ready).toBe(true)
    await withPage(async (page) => {
      const response = await page.goto(`https://${site}:${ports.right}/`)
      expect(await page.title()).toBe('the page of alice')
      expect(await page.locator('p').textContent()).toBe(`HTTP/2.0 for ${site}:${ports.right}`)
      expect(await response?.securityDetails()).toMatchObject({ subjectName: expect.stringContaining('Chronym') })
      expect(await page.evaluate('isSecureContext')).toBe(true)

      const refused = await page.goto(`https://${site}:${ports.wrong}/`)
      expect(refused?.status()).toBe(502)
      expect(await page.locator('h1').textContent()).toBe(`Not the server of ${site}`)
      await page.goto(`https://${site}:${ports.bare}/`)
      expect(await page.locator('h1').textContent()).toBe(`${site} names no key`)
      await page.goto(`https://${NAME}:${ports.right}/`)
      expect(await page.locator('h1').textContent()).toBe(`The daemon does not vouch for ${NAME}`)
      expect(await page.locator('p').first().textContent()).toContain(`chronym explain ${NAME}`)
    })
  })

  it('serves curl, HTTP/1.1 and HTTP/2, and large uploads', async () => {
    const url = `https://${site}:${ports.right}/`
    expect(await curl(url)).toEqual({ code: 0, output: expect.stringContaining('HTTP/2.0') })
    expect(await curl('--http1.1', url)).toEqual({ code: 0, output: expect.stringContaining('HTTP/1.1') })
    const file = join(home, 'big')
    writeFileSync(file, Buffer.alloc(BIG, 7))
    for (const version of ['--http1.1', '--http2'])
      expect(await curl(version, '--data-binary', `@${file}`, url)).toEqual({ code: 0, output: `${BIG} bytes` })
  })

  it('passes plain HTTP on', async () => {
    expect(await curl(`http://${site}:${ports.plain}/path?a=1`)).toEqual({
      code: 0,
      output: `plain for ${site}:${ports.plain}/path?a=1`
    })
  })

  it('carries bytes both ways after one side has ended, and the end of the other', async () => {
    const tls = await encrypted(site, ports.right)
    tls.end(`GET / HTTP/1.1\r\nHost: ${site}\r\nConnection: close\r\n\r\n`)
    expect(await text(tls)).toContain('the page of alice')
  })

  it('mints for names of the zone alone, and for the name of the tunnel alone', async () => {
    const { socket, answer } = await tunnel('example.com', 443)
    expect(answer).toMatch(/^HTTP\/1\.1 403 /u)
    socket.destroy()
    await expect(encrypted(site, ports.right, NAME)).rejects.toThrow()
    const tls = await encrypted(site, ports.right)
    const leaf = tls.getPeerX509Certificate()!
    expect(leaf.subjectAltName).toBe(`DNS:${site}`)
    expect(Date.parse(leaf.validTo) - Date.now()).toBeLessThan(86_400_000)
    tls.destroy()
  })

  it.each(['https', 'http'] as const)(
    'reaches no private address over %s of a name that is not allowed',
    async (scheme) => {
      const page = await curl(`${scheme}://${coded}:${scheme === 'https' ? ports.right : ports.plain}/`)
      expect(page.output).toContain(`${coded} leads to a private address`)
    }
  )

  it('has nginx and Caddy change their keys twice under load without a failed request', async () => {
    await Promise.all([rollUnderLoad('nginx'), rollUnderLoad('caddy')])
  })

  it('serves Python', async () => {
    const script = `import ssl, sys, urllib.request as r
handlers = r.ProxyHandler({'https': sys.argv[1]}), r.HTTPSHandler(context=ssl.create_default_context(cafile=sys.argv[2]))
print(r.build_opener(*handlers).open(sys.argv[3], timeout=30).read().decode())`
    const args = [
      `http://127.0.0.1:${proxy.port}`,
      join(directory, 'https-authority.pem'),
      `https://${site}:${ports.right}/`
    ]
    expect(await runProgram('python3', ['-c', script, ...args])).toEqual({
      code: 0,
      output: expect.stringContaining('the page of alice')
    })
  })

  it.each([
    ['the site', () => [site, ports.right], 0, /answers with status 200/u],
    ['a site with another key', () => [site, ports.wrong], 1, /Not the server of/u],
    ['a bare name', () => [NAME, ports.right], 1, /does not vouch.*chronym explain/u]
  ] as const)('says by a command whether %s opens', async (_, where, code, detail) => {
    const [host, port] = where()
    const args = ['--data-dir', directory, 'https', 'test', host as string, '--port', String(port)]
    const tested = await runToEnd(CLI, args, { environment })
    expect(tested, tested.stderr).toMatchObject({ code })
    const { steps } = JSON.parse(tested.stdout) as { steps: { step: string; ok: boolean; detail: string }[] }
    expect(steps.map(({ step, ok }) => `${step} ${ok}`)).toEqual([
      'proxy true',
      'authority true',
      'stores true',
      `site ${code === 0}`
    ])
    expect(steps.at(-1)!.detail).toMatch(detail)
  })

  it('keeps the key of the authority under the seed, and takes everything back', async () => {
    expect(statSync(join(directory, 'https-key')).mode & 0o777).toBe(0o600)
    const undone = await runToEnd(CLI, ['--data-dir', directory, 'https', 'setup', '--undo'], {
      environment
    })
    expect(undone).toMatchObject({ code: 0 })
    const stores = (JSON.parse(undone.stdout) as { stores: { store: string; state: string }[] }).stores
    expect(stores).toContainEqual({ store: join(home, '.pki/nssdb'), state: 'removed' })
    await withPage(async (page) => {
      await expect(page.goto(`https://${site}:${ports.right}/`)).rejects.toThrow('ERR_CERT_AUTHORITY_INVALID')
    })
  })
})
