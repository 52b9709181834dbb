import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { createConfigService, type StartSources } from '../../src/config/service.ts'
import {
  checkConfig,
  CONFIG_FIELDS,
  configFromEnvironment,
  configFromFile,
  configFromFlags,
  loadNetwork,
  mergeConfig
} from '../../src/config/config.ts'
import { leafPaths, type PartialConfig } from '../../src/config/dotted-path.ts'
import { builtInProfiles } from '../../src/protocol/profile/built-in.ts'
import { profileHash } from '../../src/protocol/profile/profile.ts'
import { ServiceError } from '../../src/errors.ts'
import { makePrivateDirectory } from '../../src/data-directory/private-files.ts'
import { temporary } from '../temporary.ts'

function caught(action: () => unknown): ServiceError {
  try {
    action()
  } catch (error) {
    if (error instanceof ServiceError) return error
    throw error
  }
  throw new Error('nothing was thrown')
}

describe('configuration sources', () => {
  let dir: string
  beforeEach(() => {
    dir = temporary()
  })

  it('has a flag and an environment variable for each leaf of the schema', () => {
    const leaves = leafPaths(checkConfig({}, 'defaults'))
    expect(CONFIG_FIELDS.map((field) => field.path).sort()).toEqual(leaves.sort())
    expect(new Set(CONFIG_FIELDS.map((field) => field.flag)).size).toBe(CONFIG_FIELDS.length)
    expect(new Set(CONFIG_FIELDS.map((field) => field.env)).size).toBe(CONFIG_FIELDS.length)
  })

  it('lets a flag win over the environment, and the environment over the file', () => {
    const file = join(dir, 'config.toml')
    writeFileSync(file, 'mode = "light"\n[api]\nport = 1\nhost = "127.0.0.2"\n[vdf]\nqueue = 3\n')
    const env = { CHRONYM_PORT: '2', CHRONYM_VDF_QUEUE: '4' }
    const config = checkConfig(
      mergeConfig(configFromFile(file, true), configFromEnvironment(env), configFromFlags({ port: '5' })),
      'test'
    )
    expect(config.api.port).toBe(5)
    expect(config.vdf.queue).toBe(4)
    expect(config.api.host).toBe('127.0.0.2')
    expect(config.mode).toBe('light')
  })

  it('listens on 127.0.0.1:7468 when nothing is said', () => {
    expect(checkConfig({}, 'defaults').api).toMatchObject({ host: '127.0.0.1', port: 7468 })
  })

  it('joins repeated and comma-separated list flags', () => {
    expect(configFromFlags({ bootstrap: ['/a,/b', '/c'] })).toEqual({ p2p: { bootstrap: ['/a', '/b', '/c'] } })
  })

  it('refuses an empty --data-dir, which an unset variable gives, instead of the default', () => {
    expect(caught(() => configFromFlags({ 'data-dir': '' })).message).toContain('flag --data-dir: data_dir: is empty')
  })

  it('names the unknown field of a file', () => {
    const file = join(dir, 'config.toml')
    writeFileSync(file, '[api]\nprot = 1\n')
    const error = caught(() => configFromFile(file, true))
    expect(error.code).toBe('SVC-CFG-001')
    expect(error.errors).toEqual([{ path: 'api.prot', message: 'unknown field' }])
    expect(error.message).toContain(file)
  })

  it('refuses what can be neither multiaddr nor URL, with one word for each', () => {
    const error = caught(() =>
      checkConfig(
        {
          p2p: { listen: ['localhost:7469'], bootstrap: ['/ip4/127.0.0.1/tcp/7469', '12D3KooW'] },
          beacon: { urls: ['relay', 'ftp://relay'] }
        },
        'test'
      )
    )
    const multiaddr = 'must be a multiaddr such as /ip4/127.0.0.1/tcp/7469'
    expect(error.errors).toEqual([
      { path: 'p2p.listen.0', message: multiaddr },
      { path: 'p2p.bootstrap.1', message: multiaddr },
      { path: 'beacon.urls.0', message: 'must be an http or https URL' },
      { path: 'beacon.urls.1', message: 'must be an http or https URL' }
    ])
  })

  it('refuses a host and an origin that no request can have, and says which', () => {
    const hosts = ['chronym.example', 'CHRONYMD:7468', '192.0.2.1', '::1', '[2001:db8::1]:7468']
    const origins = ['https://app.example', 'http://localhost:3000', 'chrome-extension://abcdef']
    const api = (allowed_hosts: string[], allowed_origins: string[]) => ({ api: { allowed_hosts, allowed_origins } })
    expect(checkConfig(api(hosts, origins), 'test').api).toMatchObject(api(hosts, origins).api)
    const error = caught(() =>
      checkConfig(
        api(['https://a.example', '*.example', '', 'a b'], ['app.example', 'https://a.example/', '*']),
        'test'
      )
    )
    const said = (field: string, faults: string[]) =>
      faults.map((fault, at) => ({
        path: `api.allowed_${field}.${at}`,
        message: expect.stringContaining(`example${field === 'hosts' ? ':8443' : ''}, not "${fault}"`) as string
      }))
    expect(error.errors).toEqual([
      ...said('hosts', ['https://a.example', '*.example', '', 'a b']),
      ...said('origins', ['app.example', 'https://a.example/', '*'])
    ])
  })

  it('names the line of bad TOML syntax', () => {
    const file = join(dir, 'config.toml')
    writeFileSync(file, 'mode = "full"\n[api\n')
    expect(caught(() => configFromFile(file, true)).message).toMatch(/config\.toml line [23]/)
  })

  it('says of a fraction that an integer is meant', () => {
    const message = 'must be an integer'
    expect(caught(() => checkConfig({ api: { port: 1.5 }, vdf: { queue: 1.5 } }, 'flag')).errors).toEqual([
      { path: 'api.port', message },
      { path: 'vdf.queue', message }
    ])
  })

  it('refuses a named file that is missing and passes over a default one', () => {
    expect(caught(() => configFromFile(join(dir, 'none.toml'), true)).code).toBe('SVC-CFG-001')
    expect(configFromFile(join(dir, 'none.toml'), false)).toEqual({})
  })

  it.each([
    ['CHRONYM_PORT', 'x', 'not a number'],
    ['CHRONYM_AUTO_RENEW', 'yes', 'true or false']
  ])('refuses %s=%s', (name, value, message) => {
    expect(caught(() => configFromEnvironment({ [name]: value })).message).toContain(message)
  })
})

describe('the data directory', () => {
  it('that cannot be one is named, with the cure', () => {
    const file = join(import.meta.dirname, 'config.test.ts')
    expect(() => makePrivateDirectory(join(file, 'data'))).toThrow(
      /config\.test\.ts.data cannot be the data directory: .*config\.test\.ts can't be made: what has that name is not a directory.*--data-dir/
    )
  })

  it('whose file system takes none is refused at once, and the part is named', () => {
    expect(() => makePrivateDirectory('/proc/x/y')).toThrow(/^\/proc\/x\/y cannot be .*: \/proc.* can't be made: /)
  })
})

describe('configuration at run time', () => {
  function service({ overrides = {}, ...given }: Partial<StartSources> & { overrides?: PartialConfig } = {}) {
    const sources = { file: {}, environment: {}, flags: {}, ...given }
    const saved: unknown[] = []
    const applied: string[] = []
    const config = createConfigService({
      initial: checkConfig(mergeConfig(sources.file, overrides, sources.environment, sources.flags), 'test'),
      overrides,
      sources,
      started: checkConfig(mergeConfig(sources.file, sources.environment, sources.flags), 'test'),
      save: (overrides) => saved.push(structuredClone(overrides)),
      apply: async (next, previous) => {
        if (next.https.enabled) throw new Error('its port is taken')
        applied.push(`${previous.mode}>${next.mode}`)
      }
    })
    return { config, saved, applied }
  }

  const at = (config: ReturnType<typeof service>['config'], path: string) =>
    config.fields().find(({ field }) => field === path)

  it('saves a change before it applies it and shows the whole configuration', async () => {
    const { config, saved, applied } = service()
    const next = await config.change({ mode: 'offline', vdf: { queue: 7 } })
    expect(next).toMatchObject({ mode: 'offline', vdf: { queue: 7 }, api: { port: 7468 } })
    expect(saved).toEqual([{ mode: 'offline', vdf: { queue: 7 } }])
    expect(applied).toEqual(['auto>offline'])
  })

  it('leaves all as it was where a change cannot be applied', async () => {
    const { config, saved } = service({ overrides: { mode: 'light' } })
    await expect(config.change({ mode: 'offline', https: { enabled: true } })).rejects.toThrow('its port is taken')
    expect(config.current()).toMatchObject({ mode: 'light', https: { enabled: false } })
    expect(saved.at(-1)).toEqual({ mode: 'light' })
    expect(at(config, 'https.enabled')).toMatchObject({ value: false, source: 'default' })
    await config.change({ mode: 'offline' })
    expect(saved.at(-1)).toEqual({ mode: 'offline' })
  })

  it('changes nothing when one field of several cannot change', async () => {
    const { config, saved } = service()
    await expect(config.change({ mode: 'light', data_dir: '/elsewhere' })).rejects.toMatchObject({
      code: 'SVC-CFG-002',
      errors: [{ path: 'data_dir' }]
    })
    expect(config.current().mode).toBe('auto')
    expect(saved).toEqual([])
  })

  it('tells of each field where its value comes from', () => {
    const { config } = service({
      file: { mode: 'light', auto_renew: false, vdf: { queue: 3 } },
      environment: { auto_renew: true },
      flags: { api: { port: 0 } },
      overrides: { mode: 'offline', auto_renew: false }
    })
    expect(config.fields().map(({ field }) => field)).toEqual(leafPaths(config.view()))
    expect(at(config, 'mode')).toEqual({
      field: 'mode',
      value: 'offline',
      source: 'run time',
      changeable: true,
      help: 'auto, full, light or offline; auto is full where peers can dial this daemon, else light',
      kind: 'string',
      choices: ['auto', 'full', 'light', 'offline'],
      flag: '--mode',
      environment: 'CHRONYM_MODE',
      otherwise: { value: 'light', source: 'file' }
    })
    expect(at(config, 'auto_renew')).toMatchObject({
      field: 'auto_renew',
      value: true,
      source: 'environment',
      changeable: true,
      choices: null
    })
    expect(at(config, 'auto_renew')).not.toHaveProperty('otherwise')
    expect(at(config, 'vdf.queue')).toMatchObject({ value: 3, source: 'file' })
    expect(at(config, 'api.port')).toMatchObject({ value: 0, source: 'flag', changeable: false })
    expect(at(config, 'log.level')).toMatchObject({ value: 'info', source: 'default' })
  })

  it('takes back what this run or an earlier one changed, and saves that', async () => {
    const { config, saved, applied } = service({
      file: { mode: 'light' },
      flags: { vdf: { queue: 9 } },
      overrides: { mode: 'offline', vdf: { max_tasks: 1 } }
    })
    await config.change({ vdf: { queue: 7 } })
    expect(at(config, 'vdf.queue')).toMatchObject({
      value: 7,
      source: 'run time',
      otherwise: { value: 9, source: 'flag' }
    })
    expect(await config.unset('mode')).toMatchObject({ mode: 'light', vdf: { queue: 7, max_tasks: 1 } })
    expect(await config.unset('vdf.queue')).toMatchObject({ mode: 'light', vdf: { queue: 9 } })
    expect(at(config, 'vdf.queue')).toMatchObject({ value: 9, source: 'flag' })
    expect(saved.at(-1)).toEqual({ vdf: { max_tasks: 1 } })
    expect(applied).toEqual(['offline>offline', 'offline>light', 'light>light'])
  })

  it('has nothing to take back where nothing was changed, and refuses a field that is none', async () => {
    const { config, saved } = service()
    expect(await config.unset('mode')).toEqual(config.view())
    expect(saved).toEqual([])
    for (const field of ['moed', 'vdf', '', '__proto__'])
      await expect(config.unset(field)).rejects.toMatchObject({ code: 'SVC-CFG-001' })
  })

  it('accepts a fixed field that is set to the value it has', async () => {
    const { config } = service()
    await expect(config.change({ api: { port: 7468 } })).resolves.toBeDefined()
  })

  it.each([
    [{ moed: 'full' }],
    [JSON.parse('{"__proto__": {"mode": "light"}}')],
    [{ mode: 'fast' }],
    [{ vdf: { queue: 0 } }],
    [{ dns: { enabled: 'no' } }],
    [{ dns: { listen: ['localhost:53'] } }],
    [{ dns: { listen: ['::1:53'] } }],
    [{ dns: { listen: ['127.0.0.1'] } }],
    [{ dns: { listen: ['127.0.0.1:65536'] } }],
    [{ dns: { tls_cert: 'cert.pem' } }],
    [{ dns: { cache_mib: 0 } }],
    [[]],
    ['full']
  ])('refuses %j with SVC-CFG-001', async (patch) => {
    await expect(service().config.change(patch)).rejects.toMatchObject({ code: 'SVC-CFG-001' })
  })
})

describe('the file of a profile', () => {
  it.each([
    ['a missing field', { lease: undefined }, 'lease: is missing.'],
    ['a misspelt one', { lease: undefined, leese: 1 }, 'lease: is missing, and leese is unknown'],
    ['one of another type', { beacon: { period: '3' } }, 'beacon.chain_hash: is missing'],
    ['peers that are no list', { bootstrap: 'x' }, 'bootstrap: must be a list, not "x"']
  ])('is refused for %s, by file, field and fault', (_, change, fault) => {
    const file = join(temporary(), 'wrong.json')
    writeFileSync(file, JSON.stringify({ ...builtInProfiles.main, ...change }))
    expect(caught(() => loadNetwork(file)).message).toContain(`the profile ${file}: ${fault}`)
  })

  it('is refused where it is none', () => {
    const directory = temporary()
    expect(caught(() => loadNetwork(directory)).message).toContain(`network "${directory}" is neither one of`)
    expect(caught(() => loadNetwork(directory)).message).toContain('it is a directory')
    expect(caught(() => loadNetwork(join(directory, 'none'))).message).toContain('there is no such file')
    const file = join(directory, 'cut.json')
    writeFileSync(file, '{')
    expect(caught(() => loadNetwork(file)).message).toContain(`the profile ${file}: it is not JSON`)
  })

  it('may name peers to join through, which do not change the network', () => {
    const file = join(temporary(), 'peers.json')
    writeFileSync(file, JSON.stringify({ ...builtInProfiles.main, bootstrap: ['/dnsaddr/boot.example'] }))
    const { profile, bootstrap, bootstrap_key } = loadNetwork(file)
    expect(bootstrap_key).toBe('')
    expect(bootstrap).toEqual(['/dnsaddr/boot.example'])
    expect(profileHash(profile)).toEqual(profileHash(builtInProfiles.main))
    writeFileSync(file, JSON.stringify({ ...builtInProfiles.main, bootstrap: ['boot.example'] }))
    expect(caught(() => loadNetwork(file)).message).toContain('bootstrap.0: must be a multiaddr')
    writeFileSync(file, JSON.stringify({ ...builtInProfiles.main, bootstrap_key: 'z6Mk0' }))
    expect(caught(() => loadNetwork(file)).message).toContain('bootstrap_key: must be a public key such as z6Mk')
    expect(loadNetwork('main').bootstrap).toEqual([])
  })
})
