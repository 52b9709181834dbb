import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createDocument } from '../../../src/api/openapi/document.ts'
import { docsRoutes } from '../../../src/api/routes/site.ts'
import { ENDPOINTS } from '../helpers/endpoints.ts'
import { createWorld } from '../helpers/world.ts'

const { app } = createWorld()
const document = await createDocument(app, '1.2.3')
const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const

const described = Object.entries(document.paths).flatMap(([path, item]) =>
  METHODS.flatMap((method) =>
    item[method] === undefined ? [] : [{ name: `${method.toUpperCase()} ${path}`, path, operation: item[method] }]
  )
)

const PROMISED = [
  'GET /api/network-status',
  'GET /api/resolve/{name}',
  'GET /api/resolve-kid/{did}',
  'GET /api/zone/{name}',
  'POST /api/commit',
  'POST /api/publish',
  'POST /api/publish-kid',
  'POST /api/publish-manifest',
  'GET /api/config',
  'POST /api/config',
  'GET /api/owned-names',
  'POST /api/vdf/register',
  'POST /api/vdf/renew',
  'GET /api/vdf/status/{task_id}',
  'DELETE /api/vdf/status/{task_id}',
  'POST /api/zone/{name}',
  'POST /api/zone/{name}/publish'
]

describe('the OpenAPI document', () => {
  it('has every route of the app, and no other', () => {
    const served = app.routes
      .filter(({ method, path }) => method !== 'ALL' && !path.startsWith('/assets/'))
      .map(({ method, path }) => `${method} ${path.replaceAll(/:([a-z_]+)/g, '{$1}')}`)
    expect(described.map(({ name }) => name).sort()).toEqual([...new Set(served)].sort())
  })

  it('has a tried case for every operation', () => {
    expect(ENDPOINTS.map(({ operation }) => operation).sort()).toEqual(described.map(({ name }) => name).sort())
  })

  it('has every path that users were promised', () => {
    expect(described.map(({ name }) => name)).toEqual(expect.arrayContaining(PROMISED))
  })

  it('has no header that a page of an allowed origin cannot read', async () => {
    const world = createWorld()
    world.state.allowedOrigins = ['https://app.example']
    const answer = await world.request('GET', '/healthz', { headers: { Origin: 'https://app.example' } })
    const exposed = answer.headers.get('Access-Control-Expose-Headers')!.split(',')
    const headers = described.flatMap(({ operation }) =>
      Object.values(operation.responses).flatMap((each) => Object.keys('headers' in each ? each.headers : {}))
    )
    // The Fetch Standard lets pages read the first without being told, and the second never.
    const others = ['Cache-Control', 'Set-Cookie']
    expect(new Set(headers)).toEqual(new Set([...exposed, ...others]))
  })

  it('has the paths of docs/api.md, each with its scopes, and no other', () => {
    const page = readFileSync(join(import.meta.dirname, '../../../docs/api.md'), 'utf8')
    const rows = page.matchAll(/^\| `((?:GET|POST|PATCH|DELETE) \/[^`]*)` \| ([^|]*?) ?\|/gm)
    const membersOf = (operation: object): Record<string, string[]> =>
      (operation as { 'x-member-scopes'?: Record<string, string[]> })['x-member-scopes'] ?? {}
    const scopesOf = (operation: (typeof described)[number]['operation']): string =>
      [
        (operation.security ?? []).flatMap((way) => way['bearer'] ?? []).join(' or '),
        ...Object.entries(membersOf(operation)).map(([member, scopes]) => `\`${member}\`: ${scopes.join(' or ')}`)
      ].join('; ')
    expect([...rows].map(([, name, scopes]) => [name, scopes]).sort()).toEqual(
      described.map(({ name, operation }) => [name, scopesOf(operation)]).sort()
    )
  })

  it('is OpenAPI 3.1 with the version of the daemon', async () => {
    const served = (await (await app.request('/openapi.json')).json()) as typeof document
    expect(served.openapi).toBe('3.1.0')
    expect(served.info.version).toBe('1.2.3')
    expect(Object.keys(served.components.securitySchemes ?? {})).toEqual(['bearer', 'session'])
  })

  it('says how long byte fields, names and keys are, and that a manifest is an object', () => {
    const schemas = document.components.schemas as unknown as Record<string, { properties: Record<string, object> }>
    const { Reveal, RevealRequest, ResolvedIdentity } = schemas
    expect(RevealRequest!.properties['pubkey']).toMatchObject({
      anyOf: [
        { minItems: 32, maxItems: 32 },
        { minLength: 43, maxLength: 44 }
      ]
    })
    expect(RevealRequest!.properties['name']).toMatchObject({ minLength: 1, maxLength: 255 })
    expect(Reveal!.properties['signature']).toMatchObject({ minLength: 88, maxLength: 88, contentEncoding: 'base64' })
    expect(ResolvedIdentity!.properties['manifest_document']).toMatchObject({
      type: 'object',
      required: ['capabilities']
    })
    const [key] = document.paths['/api/vdf/register']?.post?.parameters ?? []
    expect(key).toMatchObject({ schema: { pattern: '^[\\x21-\\x7e]{1,255}$' } })
  })

  it('has the media types of answers and problems that share a status', () => {
    const { responses } = document.paths['/1.0/identifiers/{did}']!.get!
    const typesOf = (status: string): string[] =>
      Object.keys((responses[status] as { content?: object }).content ?? {}).filter((type) => !type.includes('ld+json'))
    for (const status of ['400', '404', '406', '410', '501'])
      expect([status, typesOf(status)]).toEqual([status, ['application/did-resolution', 'application/json']])
    expect(typesOf('500')).toEqual(['application/did-resolution', 'application/json', 'application/problem+json'])
  })

  it('resolves every reference it makes', () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, path = '']) => path)
    expect(references.length).toBeGreaterThan(100)
    const missing = references.filter(
      (path) =>
        path
          .split('/')
          .reduce<unknown>((node, key) => (node as Record<string, unknown> | undefined)?.[key], document) === undefined
    )
    expect([...new Set(missing)]).toEqual([])
  })

  it('has no two operations of one id, and every parameter of every path', () => {
    const ids = described.map(({ operation }) => operation.operationId)
    expect(new Set(ids).size).toBe(ids.length)
    for (const { name, path, operation } of described) {
      const inPath = [...path.matchAll(/\{([a-z_]+)\}/g)].map(([, parameter]) => parameter)
      const declared = (operation.parameters ?? []).flatMap((parameter) =>
        'in' in parameter && parameter.in === 'path' ? [parameter.name] : []
      )
      expect([name, declared]).toEqual([name, inPath])
    }
  })

  it.each(described)('$name has summary, tag, security, and a problem for every error', ({ operation }) => {
    expect(operation.summary).toBeTruthy()
    expect(document.tags.map(({ name }) => name)).toContain(operation.tags?.[0])
    expect(operation.security).toBeDefined()
    for (const [status, response] of Object.entries(operation.responses)) {
      const { content, description } = response as { content?: object; description: string }
      expect(description).not.toBe('')
      const isReadiness = status === '503' && content !== undefined && 'application/json' in content
      // W3C DID Resolution has errors of its own.
      const isResolution = content !== undefined && 'application/did-resolution' in content
      if (Number(status) >= 400 && !isReadiness && !isResolution) {
        expect(content).toHaveProperty(['application/problem+json', 'schema', '$ref'], '#/components/schemas/Problem')
      }
    }
  })

  it('is made and rendered once, and not before it is asked for', async () => {
    let made = 0
    const routes = docsRoutes(() => {
      made++
      return Promise.resolve(document)
    })
    expect(made).toBe(0)
    const asked = await Promise.all(
      ['/docs', '/openapi.json', '/docs', '/openapi.json'].map(async (path) => (await routes.request(path)).text())
    )
    expect(made).toBe(1)
    expect([asked[2], asked[3]]).toEqual([asked[0], asked[1]])
  })

  it('is rendered at /docs with every operation, linked schemas, no script but that of the colours, and no block in a paragraph', async () => {
    const response = await app.request('/docs')
    const page = await response.text()
    for (const { path } of described) expect(page).toContain(path)
    const anchors = [...page.matchAll(/href="#([^"]+)"/g)].map(([, anchor]) => anchor!)
    expect(anchors.filter((anchor) => !page.includes(`id="${anchor}"`))).toEqual([])
    expect(page).not.toMatch(/<script(?! src="[^"]+\/theme-boot\.js"><\/script>)|style="|https?:/)
    expect(page).not.toMatch(/<p>(?:(?!<\/p>).)*<(?:pre|table|ul|div)\b/su)
    expect(response.headers.get('Content-Security-Policy')).toContain("default-src 'none'")
  })
})
