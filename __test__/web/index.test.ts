import { dirname, join } from 'node:path/posix'
import { describe, expect, it } from 'vitest'
import { dashboardAssets } from '../../src/web/index.ts'
import { createWorld } from '../api/helpers/world.ts'

const assets = dashboardAssets()
const page = assets.find(({ path }) => path === '/')!.body
const scripts = assets.filter(({ type }) => type.startsWith('text/javascript'))

describe('the dashboard', () => {
  it.each(assets)('is served: $path as $type', async ({ path, type, body }) => {
    const response = await createWorld().request('GET', path)
    expect(response.status).toBe(200)
    expect(response.headers.get('Content-Type')).toBe(type)
    expect(await response.text()).toBe(body)
  })

  it('has a policy that allows its own files and nothing inline', async () => {
    const policy = (await createWorld().request('GET', '/')).headers.get('Content-Security-Policy')
    expect(policy).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
        "form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
    )
    expect(page).not.toMatch(/<script(?![^>]*src=)|<style|style="| on[a-z]+="/)
  })

  it.each(assets)('loads nothing from elsewhere: $path', ({ body }) => {
    expect(body.replaceAll('http://www.w3.org/2000/svg', '')).not.toMatch(/https?:\/\/|url\(/)
  })

  it('refers only to files that are served', () => {
    const paths = new Set(assets.map(({ path }) => path))
    const referred = [
      ...[...page.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path]) => path!),
      ...scripts.flatMap(({ path, body }) =>
        [...body.matchAll(/from '(\.[^']+)'/g)].map(([, other]) => join(dirname(path), other!))
      )
    ]
    expect(referred.length).toBeGreaterThan(5)
    expect(referred.filter((path) => !paths.has(path))).toEqual([])
  })

  it.each(scripts)('never makes HTML of text: $path', ({ body }) => {
    expect(body).not.toMatch(/innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function/)
  })

  it('looks up only elements that the page has', () => {
    const ids = new Set([...page.matchAll(/id="([^"]+)"/g)].map(([, id]) => id))
    const asked = scripts.flatMap(({ body }) => [...body.matchAll(/\$\('([^']+)'\)/g)].map(([, id]) => id))
    expect(asked.filter((id) => !ids.has(id))).toEqual([])
  })

  it('needs no scrolling aside in a narrow window', () => {
    const style = assets.find(({ path }) => path === '/assets/style.css')!.body
    const narrow = /@media \(max-width: 40rem\) \{(.*?)\n\}/s.exec(style)?.[1]
    expect(narrow).toMatch(/\.scroll tr \{ display: flex; flex-wrap: wrap/)
    expect(style).toMatch(/\.scroll \{[^}]*position: relative/)
  })

  it('names every field and section for those who cannot see it', () => {
    for (const [, id] of page.matchAll(/<input id="([^"]+)"/g))
      expect(page).toMatch(new RegExp(`<label>[^<]+<input id="${id}"`))
    for (const [, title] of page.matchAll(/aria-labelledby="([^"]+)"/g)) expect(page).toContain(`<h2 id="${title}"`)
  })
})
