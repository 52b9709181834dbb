/** The dashboard in a real browser, against a real daemon. */
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { OWN_HOST } from '../../scripts/loopback.ts'
import { faultsOf, launchBrowser, logIn, seriousFindings, typeInto } from './browser.ts'
import type { OwnedNameView } from '../../src/views/own.ts'
import { begin, runToEnd, Scene, type Daemon } from './processes.ts'

const NAME = 'alice.chronym'
/** The views by their addresses; `shell/app.ts` of the dashboard lists them. */
const VIEWS = [
  '/',
  '/names',
  `/names/${NAME}`,
  '/tasks',
  `/lookup/${NAME}`,
  '/identities',
  '/network',
  '/events',
  '/seed',
  '/tokens',
  '/settings'
]

const scene = new Scene()
let browser: Browser
let daemon: Daemon
let page: Page
let faults: string[]

const start = (directory: string, port = '0') =>
  scene.daemon(['--network', 'local', '--data-dir', directory, '--host', OWN_HOST, '--port', port])
const at = (path: string) => `${daemon.summary.api_url}/#${path}`

beforeAll(async () => {
  browser = await launchBrowser()
  scene.onEnd(() => browser.close())
  daemon = await start(scene.directory())
  page = await browser.newPage({ viewport: { width: 1280, height: 900 }, reducedMotion: 'reduce' })
  faults = faultsOf(page)
})

afterAll(() => scene.end())

describe('the dashboard', () => {
  it('refuses a wrong token in words, and comes back to the view that was asked for', async () => {
    await page.goto(at('/tasks'))
    await typeInto(page.getByLabel('Access token'), 'wrong')
    await page.getByRole('button', { name: 'Log in' }).click()
    await page.getByText('That is not a token of this daemon.').waitFor()
    expect(await seriousFindings(page)).toEqual([])
    await logIn(page, daemon)
    await page.getByRole('heading', { name: 'Tasks', level: 1 }).waitFor()
    await page.reload()
    await page.getByRole('heading', { name: 'Tasks', level: 1 }).waitFor()
  })

  it('logs in by the link of `chronym dashboard` once, and keeps it nowhere', async () => {
    const { data_dir: directory, api_url: url } = daemon.summary
    const link = async () => {
      const { stdout } = await runToEnd('src/cli/main.ts', ['dashboard', '--no-json', '--data-dir', directory])
      return stdout.trim()
    }
    const spent = await link()
    const another = await (await browser.newContext()).newPage()
    await another.goto(spent)
    await another.getByRole('heading', { name: 'Home', level: 1 }).waitFor()
    expect(another.url()).toBe(`${url}/#/`)
    await another.getByRole('button', { name: 'Log out' }).click()
    await another.goto(spent)
    await another.getByText('This login link was used before, or is older than a minute.').waitFor()
    expect(another.url()).toBe(`${url}/#/`)
    expect(await seriousFindings(another)).toEqual([])
    await another.goto(await link())
    await another.getByRole('heading', { name: 'Home', level: 1 }).waitFor()
    await another.context().close()
    expect(daemon.logText()).not.toContain(spent.split('=')[1])
  })

  it('says that a view could not be loaded, as after an upgrade, and loads the page again', async () => {
    const tab = await browser.newPage({ viewport: { width: 1280, height: 900 } })
    await tab.route('**/views/tokens.js', (route) => route.abort())
    await tab.goto(at('/tokens'))
    await logIn(tab, daemon)
    await tab.getByText('This view could not be loaded').waitFor()
    await tab.unroute('**/views/tokens.js')
    await tab.getByRole('button', { name: 'Load the page again' }).click()
    await tab.getByRole('button', { name: 'Replace' }).waitFor()
    await tab.close()
  })

  it('closes a dialog with Esc, and gives the focus back', async () => {
    const opener = page.getByRole('button', { name: 'Register a name' })
    await opener.focus()
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Register a name' })
    await dialog.waitFor()
    await dialog.locator('input:focus').waitFor()
    expect(await seriousFindings(page)).toEqual([])
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    expect(await page.locator(':focus').textContent()).toBe('Register a name')
  })

  it('closes the menu of a narrow screen with Esc, and gives the focus back', async () => {
    await page.setViewportSize({ width: 360, height: 740 })
    await page.getByRole('button', { name: 'Menu' }).focus()
    await page.keyboard.press('Enter')
    const link = page.getByRole('navigation').getByRole('link', { name: 'Names' })
    await link.waitFor()
    await link.focus()
    await page.keyboard.press('Escape')
    await link.waitFor({ state: 'hidden' })
    expect(await page.locator(':focus').getAttribute('aria-label')).toBe('Menu')
    await page.setViewportSize({ width: 1280, height: 900 })
  })

  it('registers a name, with its progress in the title', async () => {
    await page.getByRole('button', { name: 'Register a name' }).click()
    const dialog = page.getByRole('dialog', { name: 'Register a name' })
    const field = dialog.getByRole('textbox', { name: 'Name' })
    for (const [wrong, reason] of [
      ['localhost', 'is reserved'],
      ['\u0430pple', 'It mixes letters of Cyrillic and Latin']
    ] as const) {
      await typeInto(field, wrong)
      await dialog.getByText(reason).waitFor()
      expect(await dialog.getByRole('button', { name: 'Register', exact: true }).isDisabled()).toBe(true)
    }
    await typeInto(field, 'München')
    await dialog.getByText('Registers xn--mnchen-3ya.chronym, which people read as münchen.chronym.').waitFor()
    await typeInto(field, ' ALICE. ')
    await dialog.getByText(`Registers ${NAME}.`).waitFor()
    await dialog.getByText('1,000,000 squarings').waitFor()
    expect(await seriousFindings(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Register', exact: true }).click()
    await page.getByRole('article', { name: `register ${NAME}` }).waitFor()
    await expect.poll(() => page.title()).toMatch(/^\d+% alice\.chronym · Tasks · Chronym$/)
    await page.getByText('completed').waitFor()
    await expect.poll(() => page.title()).toBe('Tasks · Chronym')
    await page.getByRole('button', { name: 'Clear all' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Clear all' }).click()
    await page.getByText('1 ended task cleared.').waitFor()
  })

  it('takes the first record of a name key by key, and opens one by mouse and by keyboard', async () => {
    await page.goto(at(`/names/${NAME}`))
    const form = page.getByRole('group', { name: /record of/ })
    const fields = ['Label', 'IPv4 address', 'TTL (s)']
    const texts = async (): Promise<string[]> => Promise.all(fields.map((field) => form.getByLabel(field).inputValue()))
    const enter = async (values: readonly string[]): Promise<void> => {
      for (const [index, value] of values.entries()) await typeInto(form.getByLabel(fields[index]!), value)
      expect(await texts()).toEqual(values)
    }
    await enter(['www', '192.0.2.1', '600'])
    const title = `the A record of www.${NAME}`
    const openings = [
      () => page.getByRole('button', { name: `Edit ${title}` }).click(),
      () => page.getByRole('button', { name: `Edit ${title}` }).press('Enter'),
      () => page.getByText('192.0.2.1', { exact: true }).click()
    ]
    for (const open of openings) {
      await page.getByRole('button', { name: 'Done' }).click()
      await open()
      await form.getByLabel('Label').and(page.locator(':focus')).waitFor()
      await enter(['www', '192.0.2.1', '600'])
    }
    // By keyboard alone: from the label over the type to the value.
    await form.getByLabel('Label').focus()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    await page.keyboard.press('End')
    await page.keyboard.type('23')
    expect(await texts()).toEqual(['www', '192.0.2.123', '600'])
    await page.getByRole('button', { name: 'Discard edits' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Discard' }).click()
    await expect.poll(texts).toEqual(['@', '', ''])
  })

  it('tells of a wrong record as one types, and publishes a zone', async () => {
    await page.goto(at('/'))
    await page.getByText(`${NAME} points nowhere yet`).waitFor()
    await page.getByRole('link', { name: 'This machine: 127.0.0.1' }).click()
    await page.getByText('1 unpublished change').waitFor()
    expect(await page.getByLabel('IPv4 address').inputValue()).toBe('127.0.0.1')
    expect(page.url()).toBe(at(`/names/${NAME}`))
    await typeInto(page.getByLabel('IPv4 address'), '192.0.2.300')
    await page.getByText('"192.0.2.300" is not an IPv4 address').waitFor()
    await page.getByRole('button', { name: 'Save draft' }).click()
    await page.getByText('Not saved: see the marked records.').first().waitFor()
    await page.locator('input[aria-invalid="true"]:focus').waitFor()
    await typeInto(page.getByLabel('IPv4 address'), '192.0.2.30')
    await page.getByText('is not an IPv4 address').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Add a record' }).click()
    const record = page.getByRole('group', { name: /record of/ }).last()
    await typeInto(record.getByLabel('Label'), 'mail')
    await record.getByLabel('Type').selectOption('MX')
    await typeInto(record.getByLabel('Mail server'), 'mx.example.org')
    await page.getByText('2 unpublished changes').waitFor()
    expect(await seriousFindings(page)).toEqual([])
    await page.getByRole('button', { name: 'Publish' }).click()
    await page.getByText('Serial 2 is live at 1 of 1 peers.').first().waitFor()
    const { body } = await daemon.request('GET', `/api/zone/${NAME}`)
    expect(body.records).toEqual({
      '@': [{ type: 'A', value: '192.0.2.30' }],
      mail: [{ type: 'MX', value: '10 mx.example.org' }]
    })
  })

  it('then tells how this computer can use the name', async () => {
    await page.goto(at('/'))
    await page.getByText(`Let this computer use ${NAME}`).waitFor()
    await page.getByText(`chronym --data-dir ${daemon.summary.data_dir} dns setup`, { exact: true }).waitFor()
    expect(await seriousFindings(page)).toEqual([])
    await page.getByRole('button', { name: 'Later' }).click()
    expect(await page.getByText('Let this computer use').count()).toBe(0)
    await page.goto(at('/names'))
    await page.getByRole('link', { name: NAME, exact: true }).click()
  })

  it('asks with the difference before it replaces a published zone', async () => {
    await page.getByText('All of it is published').waitFor()
    await page.getByRole('button', { name: `Edit the A record of ${NAME}` }).click()
    await page.locator('fieldset input:focus').waitFor()
    expect(await page.locator('fieldset').count(), 'one form at a time').toBe(1)
    await typeInto(page.getByLabel('IPv4 address'), '192.0.2.31')
    await page.getByText('1 unpublished change').waitFor()
    await page.getByRole('button', { name: 'Done' }).click()
    expect(await page.locator('fieldset').count()).toBe(0)
    await page.setViewportSize({ width: 1280, height: 300 })
    await page.mouse.wheel(0, -10_000)
    const bar = await page.locator('.zone-foot').boundingBox()
    expect(bar!.y + bar!.height, 'the bar is in sight').toBeLessThanOrEqual(300)
    await page.setViewportSize({ width: 1280, height: 900 })
    await page.getByRole('button', { name: 'Publish' }).click()
    const question = page.getByRole('dialog', { name: `Publish the zone of ${NAME}?` })
    await question.waitFor()
    expect(await question.getByRole('listitem').allTextContents()).toEqual([
      '− removed: @ 300 A 192.0.2.30',
      '+ added: @ 300 A 192.0.2.31'
    ])
    expect(await seriousFindings(page)).toEqual([])
    await question.getByRole('button', { name: 'Not yet' }).click()
    await page.getByText('Nothing was saved or published. What you entered is kept in this tab.').first().waitFor()
  })

  it('has nothing that axe finds serious, light and dark, narrow and wide', async () => {
    const findings: Record<string, string[]> = {}
    const links = await page.getByRole('navigation').getByRole('link').all()
    const targets = await Promise.all(links.map((link) => link.getAttribute('href')))
    const views = targets.filter((target) => target?.startsWith('#') === true).map((target) => target!.slice(1))
    expect(views.filter((path) => !VIEWS.some((view) => view === path || view.startsWith(`${path}/`)))).toEqual([])
    for (const view of VIEWS) {
      await page.goto(at(view))
      await page.locator('main h1').waitFor()
      await expect.poll(() => page.locator('.loading').count()).toBe(0)
      for (const width of [1280, 360]) {
        await page.setViewportSize({ width, height: 900 })
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme })
          // All but the contrast is the same in other colours.
          const found = await seriousFindings(page, colorScheme === 'light' ? undefined : ['color-contrast'])
          // What is cut off in a table is not found.
          const overflow = await page
            .locator('html, .table-frame')
            .evaluateAll((nodes) => Math.max(...nodes.map((node) => node.scrollWidth - node.clientWidth)))
          if (overflow > 0) found.push(`${overflow} pixels too wide`)
          if (found.length > 0) findings[`${view} ${colorScheme} ${width}`] = found
        }
      }
    }
    expect(findings).toEqual({})
    await page.setViewportSize({ width: 1280, height: 900 })
    await page.emulateMedia({ colorScheme: 'light' })
  })

  it('breaks a name of 63 letters on a narrow screen', async () => {
    const long = `${'w'.repeat(63)}.chronym`
    const task = await begin(daemon, long)
    await daemon.request('POST', `/api/vdf/tasks/${task}/pause`)
    const tab = await browser.newPage({ viewport: { width: 360, height: 900 } })
    // As if the daemon had earned the name already.
    const owned: OwnedNameView = {
      name: long,
      check_code: '7kq2mx',
      coded_name: null,
      state: 'live',
      lease_end: '2100-01-01T00:00:00.000Z',
      serial: 1,
      published_serial: 1,
      records: 1,
      renewal: { state: 'scheduled', due: '2099-12-01T00:00:00.000Z', task_id: null, left: 64 },
      warnings: []
    }
    await tab.route('**/api/names', (route) => route.fulfill({ json: [owned] }))
    await tab.goto(at('/'))
    await logIn(tab, daemon)
    const tooWide: Record<string, number> = {}
    for (const view of ['/', '/names', `/names/${long}`, '/tasks', '/network']) {
      await tab.goto(at(view))
      await tab.locator('main').getByText(long).first().waitFor()
      await expect.poll(() => tab.locator('.loading').count()).toBe(0)
      const overflow = await tab.locator('html').evaluate((node) => node.scrollWidth - node.clientWidth)
      if (overflow > 0) tooWide[view] = overflow
    }
    expect(tooWide).toEqual({})
    await tab.close()
    await daemon.request('DELETE', `/api/vdf/status/${task}`)
  })

  it('says that the daemon is away, comes back with it, and has kept the edits', async () => {
    await page.goto(at(`/names/${NAME}`))
    const address = page.getByRole('listitem').getByText('192.0.2.31', { exact: true })
    await address.waitFor()
    const { data_dir: directory, api_url: url } = daemon.summary
    await daemon.signal('SIGTERM')
    await page.getByText('The daemon does not answer.').waitFor()
    expect(await seriousFindings(page)).toEqual([])
    daemon = await start(directory, new URL(url).port)
    await page.getByText('The session has ended').waitFor()
    await logIn(page, daemon)
    expect(await page.getByText('The daemon does not answer.').count()).toBe(0)
    await address.waitFor()
    await page.getByRole('button', { name: 'Save draft' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Replace' }).click()
    await page.getByText('Saved as serial 3.').first().waitFor()
  })

  it('met no exception, and nothing that its policy refuses', () => {
    expect(faults).toEqual([])
  })
})
