import { createHash } from 'node:crypto'
import { dirname, join } from 'node:path/posix'
import { describe, expect, it } from 'vitest'
import { assetPath, dashboard } from '../../src/web/index.ts'
import { createWorld } from '../api/helpers/world.ts'

const { assets } = dashboard()
const page = assets.find(({ path }) => path === '/')!.body
const importMap = /<script type="importmap">(.*?)<\/script>/.exec(page)![1]!
const own = assets.filter(({ path }) => !path.includes('/vendor/'))
const scripts = assets.filter(({ type }) => type.startsWith('text/javascript'))
const ownScripts = own.filter(({ type }) => type.startsWith('text/javascript'))
const etagOf = (body: string) => `"${createHash('sha256').update(body).digest('base64url')}"`
const specifiersOf = (body: string) =>
  [...body.matchAll(/(?:^|[;}\s])(?:import|from)\s*["']([^"']+)["']/g)].map(([, specifier]) => specifier!)
const laterOf = (body: string) => [...body.matchAll(/\bimport\(["']([^"']+)["']\)/g)].map(([, specifier]) => specifier!)
const { imports } = JSON.parse(importMap) as { imports: Record<string, string> }
const pathOf = (specifier: string, from: string) =>
  specifier.startsWith('.') ? join(dirname(from), specifier) : imports[specifier]
const bodies = new Map(assets.map(({ path, body }) => [path, body]))
/** What a browser loads before it shows the first view: the scripts that `file` imports, and theirs. */
const neededBy = (file: string) => {
  const needed = new Set([assetPath(file)])
  for (const path of needed) for (const other of specifiersOf(bodies.get(path)!)) needed.add(pathOf(other, path)!)
  return [...needed].map((path) => path.split('/').slice(3).join('/'))
}

describe('the dashboard', () => {
  it.each(assets)('is served: $path as $type', async ({ path, type, body }) => {
    const response = await createWorld().request('GET', path)
    expect(response.status).toBe(200)
    expect(response.headers.get('Content-Type')).toBe(type)
    expect([response.headers.get('ETag'), response.headers.get('Cache-Control')]).toEqual(
      path === '/' ? [null, 'no-store'] : [etagOf(body), 'public, max-age=31536000, immutable']
    )
    expect(await response.text()).toBe(body)
  })

  it('is not sent again to a browser that has it', async () => {
    const { path, body } = assets.find(({ path: each }) => each.endsWith('/main.js'))!
    const response = await createWorld().request('GET', path, {
      headers: { 'If-None-Match': `"older", ${etagOf(body)}` }
    })
    expect([response.status, await response.text()]).toEqual([304, ''])
  })

  it('has paths that change with the content, the page alone excepted', () => {
    const versions = new Set(assets.filter(({ path }) => path !== '/').map(({ path }) => path.split('/')[2]))
    expect([...versions]).toEqual([expect.stringMatching(/^[0-9a-f]{12}$/)])
    expect(assetPath('style/base.css')).toMatch(/^\/assets\/[0-9a-f]{12}\/style\/base\.css$/)
    expect(() => assetPath('none.css')).toThrow('the dashboard has no file none.css')
  })

  it('has a policy that allows its own files, its import map and nothing else inline', async () => {
    const policy = (await createWorld().request('GET', '/')).headers.get('Content-Security-Policy')
    const hash = createHash('sha256').update(importMap).digest('base64')
    expect(policy).toBe(
      `default-src 'none'; script-src 'self' 'sha256-${hash}'; style-src 'self'; img-src 'self'; connect-src 'self'; ` +
        "form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
    )
    expect(page.replace(/<script type="importmap">.*?<\/script>/, '')).not.toMatch(
      /<script(?![^>]*src=)|<style|style="| on[a-z]+="/
    )
  })

  it.each(own)('loads nothing from elsewhere: $path', ({ body }) => {
    // a name of XML, and a text whose host is read
    expect(body.replaceAll(/http:\/\/(?:www\.w3\.org\/2000\/svg|\$\{label\})/g, '')).not.toMatch(/https?:\/\/|url\(/)
  })

  it('refers only to files that are served', () => {
    const paths = new Set(assets.map(({ path }) => path))
    const referred = [
      ...[...page.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path]) => path!),
      ...Object.values(imports),
      ...scripts.flatMap(({ path, body }) =>
        [...specifiersOf(body), ...laterOf(body)].map((other) => pathOf(other, path))
      )
    ]
    expect(referred.length).toBeGreaterThan(50)
    expect(referred.filter((path) => path === undefined || !paths.has(path))).toEqual([])
  })

  it('loads a view and the QR code only when they are shown', () => {
    const later = ownScripts.flatMap(({ path, body }) => laterOf(body).map((other) => pathOf(other, path)!))
    expect(later.filter((path) => path.includes('/views/'))).toHaveLength(11)
    const first = [...neededBy('main.js'), ...neededBy('views/home.js')]
    expect(first.filter((file) => file.startsWith('views/'))).toEqual(['views/home.js'])
    expect(first.filter((file) => /qr|editor/.test(file))).toEqual([])
    expect(first).toContain('zone/unsaved-edits.js')
  })

  it('takes pure code alone from the rest of src, and no types', () => {
    const shared = own.map(({ path }) => path.split('/shared/')[1]).filter((path) => path !== undefined)
    expect(shared.sort()).toEqual(['util/proxy-rules.js', 'util/record-text.js', 'util/typed-name.js', 'util/words.js'])
    for (const { body } of ownScripts) expect(body).not.toMatch(/^(?:interface|type|import type|export type) /m)
  })

  it.each(ownScripts)('never makes HTML of text: $path', ({ body }) => {
    expect(body).not.toMatch(/innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function/)
  })
})
