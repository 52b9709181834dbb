/**
 * npm run screenshots
 *
 * Makes the pictures of docs/dashboard.md: each view of the dashboard once, and the first one also dark and narrow, in
 * a real Chromium against five daemons on this machine.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { chromium, type Page } from 'playwright-core'
import { needPackages, programOf } from './packages.ts'
import { ROOT } from './program.ts'
import { setScene, type ShownDaemon } from './screenshots/scene.ts'

const FOLDER = join(ROOT, 'docs/dashboard')
const FLAGS = ['--headless=new', '--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking']
/** For what a view reads when it opens. */
const SETTLE_MS = 1500
/** Beyond this a picture is cut, CSS pixels. */
const MAX_HEIGHT = 1100
const MIN_HEIGHT = { wide: 720, narrow: 640 } as const
const WIDTHS = { wide: 1280, narrow: 360 } as const

const viewsOf = ({ did }: ShownDaemon): readonly (readonly [name: string, path: string])[] => [
  ['home', '/'],
  ['tasks', '/tasks'],
  ['names', '/names'],
  ['zone', '/names/alice.chronym'],
  ['lookup', '/lookup/alice.chronym'],
  ['identities', `/identities/${encodeURIComponent(did)}`],
  ['network', '/network'],
  ['events', '/events'],
  ['seed', '/seed'],
  ['tokens', '/tokens'],
  ['settings', '/settings']
]

async function photograph(page: Page, file: string, width: keyof typeof WIDTHS): Promise<void> {
  await page.setViewportSize({ width: WIDTHS[width], height: MIN_HEIGHT[width] })
  await delay(SETTLE_MS)
  const needed = await page.locator('html').evaluate((node: unknown) => (node as { scrollHeight: number }).scrollHeight)
  await page.setViewportSize({
    width: WIDTHS[width],
    height: Math.min(MAX_HEIGHT, Math.max(MIN_HEIGHT[width], needed))
  })
  await page.screenshot({ path: file })
  const args = ['--force', '--ext', '.png', '--speed', '1', '64', file]
  const { status, stderr } = spawnSync(programOf('pngquant'), args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`pngquant failed on ${file}: ${stderr}`)
  console.log(`${file}  ${Math.round(statSync(file).size / 1000)} kB`)
}

needPackages(['chromium', 'pngquant'])
const shown = await setScene()
const browser = await chromium.launch({ executablePath: programOf('chromium'), args: FLAGS })
try {
  rmSync(FOLDER, { recursive: true, force: true })
  mkdirSync(FOLDER, { recursive: true })
  const page = await browser.newPage({ colorScheme: 'light', reducedMotion: 'reduce' })
  const file = (view: string) => join(FOLDER, `${view}.png`)
  await page.goto(shown.url)
  await page.getByLabel('Access token').fill(shown.token)
  await page.getByRole('button', { name: 'Log in' }).click()
  await page.locator('main h1').waitFor()
  for (const [view, path] of viewsOf(shown)) {
    await page.goto(`${shown.url}/#${path}`)
    await photograph(page, file(view), 'wide')
  }
  await page.goto(`${shown.url}/#/`)
  await photograph(page, file('home-narrow'), 'narrow')
  await page.emulateMedia({ colorScheme: 'dark' })
  await photograph(page, file('home-dark'), 'wide')
} finally {
  await browser.close()
  await shown.stop()
}
