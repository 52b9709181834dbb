/** Containers and proxies of docs/operate: what programs that read them say, and what they presume of the daemon. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { needPackages, programOf } from '../../scripts/packages.ts'
import { CONFIG_FIELDS, checkConfig, configFromEnvironment, configFromFile, DNS_PORT } from '../../src/config/config.ts'
import { serverConfigurations } from '../../src/cli/https/cert.ts'
import { cli } from '../cli/harness.ts'
import { temporary } from '../temporary.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const DOCS = join(ROOT, 'docs/operate')
const read = (file: string): string => readFileSync(join(DOCS, file), 'utf8')
const directory = temporary()
const { api } = checkConfig({}, 'test')

beforeAll(() => needPackages(['nginx', 'caddy', 'openssl']))

function run(program: string, ...args: string[]): { status: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync(program, args, {
    encoding: 'utf8',
    env: { ...process.env, HOME: directory, XDG_DATA_HOME: directory, XDG_CONFIG_HOME: directory }
  })
  return { status, output: stdout + stderr }
}

describe('the containers', () => {
  const known = new Set(['CHRONYM_CONFIG', ...CONFIG_FIELDS.map(({ env }) => env)])

  it.each(['docker/Dockerfile', 'docker/compose.yaml', 'docker/compose.host.yaml', 'kubernetes/resolver.yaml'])(
    '%s sets variables that the daemon knows',
    (file) => {
      const named = read(file).match(/\bCHRONYM_[A-Z_]+/g) ?? []
      expect(named.length).toBeGreaterThan(2)
      expect(named.filter((name) => !known.has(name))).toEqual([])
    }
  )

  it('the image copies what is there, and runs as a user by number', () => {
    const dockerfile = read('docker/Dockerfile')
    const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, files]) => files!.split(' '))
    const taken = [...dockerfile.matchAll(/ \/src\/(package\.json|LICENSE-\w+)/g)].map(([, file]) => file!)
    expect(copied).toContain('package-lock.json')
    expect([...copied, ...taken].filter((file) => !existsSync(join(ROOT, file)))).toEqual([])
    // Kubernetes checks `runAsNonRoot` on a number alone.
    expect(dockerfile).toMatch(/^USER [1-9]\d+:[1-9]\d+$/m)
    expect(read('kubernetes/resolver.yaml')).toContain(`runAsUser: ${/^USER (\d+)/m.exec(dockerfile)![1]}`)
  })

  it('the variables of the image are a configuration', () => {
    const assignments = read('docker/Dockerfile').matchAll(/\b(CHRONYM_[A-Z_]+)=([^\s\\]+)/g)
    const environment = Object.fromEntries([...assignments].map(([, name, value]) => [name!, value!]))
    // The comment names another host.
    const { api: set } = checkConfig(configFromEnvironment({ ...environment, CHRONYM_HOST: '0.0.0.0' }), 'test')
    expect(set).toEqual({ ...api, host: '0.0.0.0' })
  })

  it('the ports are those of the daemon', () => {
    const files = ['docker/Dockerfile', 'docker/compose.yaml', 'kubernetes/resolver.yaml'].map(read)
    for (const file of files) for (const port of [api.port, DNS_PORT]) expect(file).toContain(String(port))
    // Without TLS: for this machine alone.
    expect(files[1]).toContain(`- "127.0.0.1:${api.port}:${api.port}"`)
  })

  it('the workers have flags of the command, a core for each thread, and metrics of the daemon', async () => {
    const manifest = read('kubernetes/workers.yaml')
    const args = [...manifest.matchAll(/^ +- (worker|--.+)$/gm)].map(([, argument]) => argument!)
    // All before the wrong one is right.
    const { stderr } = await cli([...args, '--label=two words'])
    expect(stderr).toContain('--label two words')
    const [, threads] = /--threads=(\d+)/.exec(manifest)!
    expect(manifest).toContain(`requests: { cpu: "${threads}"`)
    expect(manifest).toContain(`threshold: "${threads}"`)
    const metrics = readFileSync(join(ROOT, 'src/daemon/metrics.ts'), 'utf8')
    const [, query] = /query: (.+)/.exec(manifest)!
    const named = query!.match(/chronym_\w+/g)!
    expect(named.filter((name) => !metrics.includes(`'${name}'`))).toEqual([])
    expect(manifest).toContain(`runAsUser: ${/^USER (\d+)/m.exec(read('docker/Dockerfile'))![1]}`)
  })

  it('the configuration in the manifest is valid', () => {
    const [, block = ''] = /config\.toml: \|\n((?: {4}.*\n|\n)+)/.exec(read('kubernetes/resolver.yaml')) ?? []
    const file = join(directory, 'config.toml')
    writeFileSync(file, block.replaceAll(/^ {4}/gm, ''))
    expect(configFromFile(file, true)).toMatchObject({ network: 'main', mode: 'light' })
  })
})

it('the files of systemd are in the package, where install.md and upgrade.md look for them', () => {
  const folder = 'docs/operate/systemd'
  for (const page of ['install.md', 'upgrade.md']) expect(read(page)).toContain(`/chronym/${folder}"`)
  const { files } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { files: string[] }
  expect(
    files.filter((entry) => `${folder}/`.startsWith(`${entry}/`)),
    files.join(', ')
  ).not.toEqual([])
})

/** Whether nginx starts with a site. */
function nginxTakes(site: string): { status: number | null; output: string } {
  writeFileSync(join(directory, 'site.conf'), site)
  const folders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${join(directory, name)};`
  )
  const file = join(directory, 'nginx.conf')
  const include = `include ${join(directory, 'site.conf')};`
  const http = `http { access_log off; ${folders.join(' ')} ${include} }`
  writeFileSync(file, `pid ${join(directory, 'pid')}; error_log stderr; events {} ${http}`)
  return run(programOf('nginx'), '-t', '-e', 'stderr', '-c', file)
}

describe('the site that `https cert` prints', () => {
  const HOSTS = ['alice.chronym', 'alice--7kq2mx.chronym']
  const sites = (name: string, port = 18_443) => {
    const folder = join(directory, name)
    mkdirSync(folder, { recursive: true })
    const file = join(folder, 'alice.chronym.pem')
    writeFileSync(file, keyAndCertificate())
    return serverConfigurations(file, HOSTS, port)
  }

  it.each(['plain', 'with a blank', `"quoted" 'twice'`, 'back\\slash', '{braces};'])(
    'is taken where it is kept: %s',
    (name) => {
      const { nginx, Caddy } = sites(name)
      expect(nginxTakes(nginx).output).toContain('test is successful')
      const file = join(directory, 'Caddyfile')
      writeFileSync(file, `${Caddy}\n`)
      expect(run(programOf('caddy'), 'validate', '--config', file, '--adapter', 'caddyfile').output).toContain(
        'Valid configuration'
      )
    }
  )

  it('is that of https.md', () => {
    const page = readFileSync(join(ROOT, 'docs/https.md'), 'utf8')
    for (const site of Object.values(serverConfigurations('/etc/ssl/chronym/alice.chronym.pem', HOSTS, 443)))
      expect(page).toContain(`\`\`\`\n${site}\n\`\`\``)
  })
})

/** Both in one file, as `https cert` writes them. */
function keyAndCertificate(): string {
  const subject = ['-subj', '/CN=chronym.example', '-keyout', join(directory, 'key.pem')]
  const key = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2']
  expect(run(programOf('openssl'), ...key, ...subject, '-out', join(directory, 'cert.pem')).status).toBe(0)
  return ['cert.pem', 'key.pem'].map((name) => readFileSync(join(directory, name), 'utf8')).join('')
}

describe('the reverse proxies', () => {
  it('nginx takes its file, which buffers no events', () => {
    keyAndCertificate()
    const site = read('reverse-proxy/nginx.conf')
      .replace(/\/etc\/\S+fullchain\.pem/, join(directory, 'cert.pem'))
      .replace(/\/etc\/\S+privkey\.pem/, join(directory, 'key.pem'))
      // A test may not have the privilege for the port.
      .replaceAll(/(listen (?:\[::\]:)?)443/g, '$118443')
    const { status, output } = nginxTakes(site)
    expect(output).toContain('test is successful')
    expect(status).toBe(0)
    expect(site).toContain('proxy_buffering off;')
  })

  it('Caddy takes its file, which buffers no events', () => {
    const file = join(DOCS, 'reverse-proxy/Caddyfile')
    const { status, output } = run(programOf('caddy'), 'validate', '--config', file, '--adapter', 'caddyfile')
    expect(output).toContain('Valid configuration')
    expect(status).toBe(0)
    expect(run(programOf('caddy'), 'adapt', '--config', file, '--adapter', 'caddyfile').output).toContain(
      '"flush_interval":-1'
    )
  })

  it.each(['reverse-proxy/nginx.conf', 'reverse-proxy/Caddyfile'])('%s names the address of the daemon', (file) => {
    expect(read(file)).toContain(`127.0.0.1:${api.port}`)
  })
})
