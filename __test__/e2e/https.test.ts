/**
 * https for a registered name in the programs that people use: one command makes the authority of the machine, then a
 * fresh profiles of Chromium and Firefox open the site without a warning, by the proxy of a real daemon.
 */
import { createHash, generateKeyPairSync, type KeyObject, createPublicKey, X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer as createPlainServer, type IncomingMessage } from 'node:http'
import { createSecureServer } from 'node:http2'
import { connect as connectTcp, type AddressInfo, type Socket } from 'node:net'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import { text } from 'node:stream/consumers'
import { chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { OWN_HOST } from '../../scripts/loopback.ts'
import { needPackages, programOf } from '../../scripts/packages.ts'
import { end } from '../../scripts/program.ts'
import { addon } from '../../src/native/addon.ts'
import { local } from '../../src/protocol/profile/built-in.ts'
import { proxyRulesAddress } from '../../src/util/proxy-rules.ts'
import { PATIENCE_MS } from '../wait-for.ts'
import { runProgram } from './dns/programs.ts'
import { Firefox } from './firefox.ts'
import { eventually, register, runToEnd, Scene, type Daemon } from './processes.ts'

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
/** Below those that the system gives out: each is in the zone before its server is there. */
const SERVER_PORTS = { nginx: 20_443, caddy: 20_444 } as const

const scene = new Scene()
let home: string
let environment: Record<string, string>
let directory: string
let daemon: Daemon
let proxy: { readonly address: string; readonly port: number; readonly ready: boolean }
/** The name with its check code: the daemon vouches for it at once. */
let coded: string
let codedNames: ReadonlyMap<string, string>
/** A host below it. */
let site: string
/** Ports of the origins: with the key of the record, with another, and without a record. */
const ports: Record<'right' | 'wrong' | 'bare' | 'six' | 'plain', number> = {
  right: 0,
  wrong: 0,
  bare: 0,
  six: 0,
  plain: 0
}

const newKey = (): KeyObject => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey

async function startOrigin(key: KeyObject, address = '127.0.0.1'): Promise<number> {
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
      if (request.url === '/events') {
        // Without an end.
        response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: an event\n\n')
        return
      }
      response.setHeader('content-type', 'text/html')
      response.end(`<title>the page of alice</title><p>HTTP/${request.httpVersion} for ${request.authority}`)
    }
  )
  origin.on('upgrade', echo)
  origin.listen(0, address)
  await once(origin, 'listening')
  scene.onEnd(() => origin.close())
  return (origin.address() as AddressInfo).port
}

/** A WebSocket (RFC 6455) that says once what it was told. */
function echo({ headers }: IncomingMessage, socket: Duplex): void {
  const key = `${headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`
  const accept = createHash('sha1').update(key).digest('base64')
  const upgrade = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket'
  socket.write(`${upgrade}\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`)
  socket.once('data', (frame: Buffer) => {
    const [mask, masked] = [frame.subarray(2, 6), frame.subarray(6)]
    socket.end(Buffer.from([0x81, masked.length, ...masked.map((byte, index) => byte ^ mask[index % 4]!), 0x88, 0]))
  })
}

const pinOf = (key: KeyObject): string =>
  createHash('sha256')
    .update(createPublicKey(key).export({ format: 'der', type: 'spki' }))
    .digest('hex')

beforeAll(async () => {
  needPackages(['chromium', 'firefox-esr', 'curl', 'libnss3-tools', 'nginx', 'caddy'])
  home = scene.directory()
  directory = join(home, 'data')
  const keys = { right: newKey(), wrong: newKey(), other: newKey() }
  ports.right = await startOrigin(keys.right)
  ports.wrong = await startOrigin(keys.wrong)
  ports.bare = await startOrigin(keys.right)
  ports.six = await startOrigin(keys.right, '::1')
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
  daemon = await scene.daemon([...where, '--https-listen', '127.0.0.1:0'])
  const address = [{ type: 'A', value: '127.0.0.1' }]
  const pin = (key: KeyObject) => [{ type: 'TLSA', value: `3 1 1 ${pinOf(key)}` }]
  const records = {
    '@': address,
    site: address,
    [`_${ports.right}._tcp`]: pin(keys.right),
    [`_${ports.right}._tcp.site`]: pin(keys.right),
    [`_${ports.wrong}._tcp.site`]: pin(keys.other),
    six: [{ type: 'AAAA', value: '::1' }],
    [`_${ports.six}._tcp.six`]: pin(keys.right)
  }
  // Each name may be published five times in a row.
  const own = { '@': [{ type: 'A', value: OWN_HOST }] }
  const zones = { [NAME]: records, 'nginx.chronym': own, 'caddy.chronym': own }
  const tasks = Object.entries(zones).map(([name, records]) => register(daemon, name, { zone: { records } }))
  // A first start makes the store of its profile.
  await Promise.all([...tasks, withFirefox(() => Promise.resolve())])
  const { body: names } = await daemon.request('GET', '/api/names')
  codedNames = new Map((names as { name: string; coded_name: string }[]).map((each) => [each.name, each.coded_name]))
  coded = codedNames.get(NAME)!
  site = `site.${coded}`
  const setup = await runToEnd(CLI, ['--data-dir', directory, 'https', 'setup', '--yes'], {
    environment
  })
  expect(setup, setup.stderr).toMatchObject({ code: 0 })
  const https = { enabled: true }
  expect(await daemon.request('POST', '/api/config', { https })).toMatchObject({ status: 200 })
  proxy = (await daemon.request('GET', '/api/dns')).body.https
})

afterAll(() => scene.end())

/** As `https setup` and the dashboard show them. */
const rules = (): string => proxyRulesAddress('chronym', proxy)
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
      `--proxy-pac-url=${rules()}`
    ]
  })
  browser.setDefaultTimeout(PATIENCE_MS)
  try {
    return await act(await browser.newPage())
  } finally {
    await browser.close()
  }
}

async function withFirefox<T>(act: (firefox: Firefox) => Promise<T>, rules?: string): Promise<T> {
  const settings = rules === undefined ? {} : { 'network.proxy.type': 2, 'network.proxy.autoconfig_url': rules }
  const firefox = await Firefox.start(home, join(home, '.mozilla/firefox/profile'), settings)
  try {
    return await act(firefox)
  } finally {
    await firefox.close()
  }
}

/** A server with the certificate that `https cert` puts into the home directory. */
function serverOf(kind: 'nginx' | 'caddy') {
  const port = SERVER_PORTS[kind]
  const file = join(home, `${kind}.chronym.pem`)
  const config = join(home, `${kind}.conf`)
  const admin = join(home, 'caddy.sock')
  writeFileSync(
    config,
    kind === 'nginx'
      ? `daemon off; pid ${home}/nginx.pid; error_log stderr; events {}
         http { access_log off; server { listen ${OWN_HOST}:${port} ssl; ssl_certificate ${file}; ssl_certificate_key ${file};
         location / { return 200 "from nginx"; } } }`
      : `{\n admin unix/${admin}\n auto_https off\n}\n:${port} {\n bind ${OWN_HOST}\n tls ${file} ${file}\n respond "from caddy"\n}\n`
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
          const socket = connectTcp(port, OWN_HOST)
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
  const { port, reload, start } = serverOf(kind)
  const cert = (...args: string[]) =>
    runToEnd(
      CLI,
      ['--data-dir', directory, '--json', 'https', 'cert', name, '--out', home, '--port', `${port}`, ...args],
      {
        environment
      }
    )
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

      const heard = await page.evaluate(`Promise.all([
        new Promise((resolve) => (new EventSource('/events').onmessage = ({ data }) => resolve(data))),
        new Promise((resolve, reject) => {
          const socket = new WebSocket('wss://' + location.host)
          socket.onopen = () => socket.send('an echo')
          socket.onmessage = ({ data }) => resolve(data)
          socket.onerror = () => reject(new Error('the socket failed'))
        })
      ])`)
      expect(heard).toEqual(['an event', 'an echo'])

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

  it('has Firefox open the site without a warning, and say why it opens no other', async () => {
    await withFirefox(async (firefox) => {
      await firefox.goto(`https://${site}:${ports.right}/`)
      expect(await firefox.run('content', 'return [document.title, isSecureContext]')).toEqual([
        'the page of alice',
        true
      ])
      // STATE_IS_SECURE of nsIWebProgressListener: what the padlock shows.
      expect(await firefox.run('chrome', 'return gBrowser.securityUI.state & 2')).toBe(2)
      await firefox.goto(`https://${site}:${ports.wrong}/`)
      const title = await firefox.run('content', 'return document.title')
      expect(title).toBe(`Not the server of ${site}`)
    }, rules())
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

  it('carries a large upload and the answer to it after the client has ended, and the end of the origin', async () => {
    const tls = await encrypted(site, ports.right)
    tls.write(`POST / HTTP/1.1\r\nHost: ${site}\r\nConnection: close\r\nContent-Length: ${BIG}\r\n\r\n`)
    tls.end(Buffer.alloc(BIG, 7))
    expect(await text(tls)).toContain(`${BIG} bytes`)
  })

  it('reaches an origin by IPv6', async () => {
    expect(await curl(`https://six.${coded}:${ports.six}/`)).toEqual({
      code: 0,
      output: expect.stringContaining(`for six.${coded}`)
    })
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
    'reaches the private address of a name of its own over %s, which no setting names',
    async (scheme) => {
      const page = await curl(`${scheme}://${coded}:${scheme === 'https' ? ports.right : ports.plain}/`)
      expect(page).toEqual({ code: 0, output: expect.stringContaining(`for ${coded}`) as string })
    }
  )

  it('has nginx and Caddy change their keys twice under load without a failed request', async () => {
    await Promise.all([rollUnderLoad('nginx'), rollUnderLoad('caddy')])
  })

  it('serves Node', async () => {
    const variables = [
      'NODE_USE_ENV_PROXY=1',
      `HTTPS_PROXY=http://127.0.0.1:${proxy.port}`,
      `NODE_EXTRA_CA_CERTS=${join(directory, 'https-authority.pem')}`
    ]
    const script = `fetch('https://${site}:${ports.right}/').then((page) => page.text()).then(console.log)`
    expect(await runProgram('env', [...variables, process.execPath, '-e', script])).toEqual({
      code: 0,
      output: expect.stringContaining('the page of alice')
    })
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
    ['a bare name', () => [NAME, ports.right], 1, /does not vouch.*chronym explain/u],
    ['a name without its zone', () => ['alice', ports.right], 1, /vouch for alice\.chronym/u],
    ['a name that nobody has', () => ['nobody', 443], 1, /^nobody\.chronym .*chronym explain nobody\.chronym/u],
    ['a name of another zone', () => ['example.com', 443], 1, /serves names of one zone, and example\.com is none/u]
  ] as const)('says by a command whether %s opens', async (_, where, code, detail) => {
    const [host, port] = where()
    const args = ['--data-dir', directory, '--json', 'https', 'test', host as string, '--port', String(port)]
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
    const files = ['https-key', 'https-authority.pem'].map((name) => join(directory, name))
    const kept = files.map((file) => readFileSync(file))
    const undone = await runToEnd(CLI, ['--data-dir', directory, '--json', 'https', 'setup', '--undo'], {
      environment
    })
    expect(undone).toMatchObject({ code: 0 })
    const becomes = (isReady: boolean) =>
      eventually(
        () => daemon.request('GET', '/api/dns'),
        ({ body }) => body.https.ready === isReady
      )
    await becomes(false)
    const stores = (JSON.parse(undone.stdout) as { stores: { store: string; state: string }[] }).stores
    for (const store of ['.pki/nssdb', '.mozilla/firefox/profile'])
      expect(stores).toContainEqual({ store: join(home, store), state: 'removed' })
    // As a thief has them: the browsers believe them no longer.
    files.forEach((file, index) => writeFileSync(file, kept[index]!, { mode: 0o600 }))
    await becomes(true)
    await withPage(async (page) => {
      await expect(page.goto(`https://${site}:${ports.right}/`)).rejects.toThrow('ERR_CERT_AUTHORITY_INVALID')
    })
    await withFirefox(async (firefox) => {
      const visit = firefox.goto(`https://${site}:${ports.right}/`)
      await expect(visit).rejects.toThrow('insecure certificate')
    }, rules())
  })
})
