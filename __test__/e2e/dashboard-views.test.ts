/** What the views of the dashboard do beside those of names and tasks, in a real browser against a real daemon. */
import type { Browser, Page } from 'playwright-core'
import decodeQR from 'qr/decode.js'
import type { DnsView } from '../../src/views/dns.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { faultsOf, launchBrowser, logIn, seriousFindings, typeInto } from './browser.ts'
import { begin, completed, runToEnd, Scene, type Daemon } from './processes.ts'

const NAME = 'alice.chronym'
const ZONE = { records: { '@': [{ type: 'A', value: '192.0.2.10' }] } }
/** A browser asks again where a kept connection ends just then; Playwright does so only if it is told. */
const AS_BROWSERS_DO = { maxRetries: 3 }

const scene = new Scene()
let browser: Browser
let daemon: Daemon
let page: Page
let faults: string[]

const open = (path: string) => page.goto(`${daemon.summary.api_url}/#${path}`)
const button = (name: string) => page.getByRole('button', { name, exact: true })

const codedName = async () => String((await daemon.request('GET', '/api/names')).body[0].coded_name)

/** What a QR code in a picture says. The browser decodes the picture itself. */
async function scanned(of: Page, png: Buffer): Promise<string> {
  const [width, height, data] = await of.evaluate<[number, number, number[]]>(`(async () => {
    const bytes = Uint8Array.from(atob('${png.toString('base64')}'), (letter) => letter.charCodeAt(0))
    const bitmap = await createImageBitmap(new Blob([bytes]))
    const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d')
    context.drawImage(bitmap, 0, 0)
    return [bitmap.width, bitmap.height, [...context.getImageData(0, 0, bitmap.width, bitmap.height).data]]
  })()`)
  return decodeQR({ width, height, data: Uint8Array.from(data) })
}

beforeAll(async () => {
  browser = await launchBrowser()
  scene.onEnd(() => browser.close())
  daemon = await scene.daemon([
    '--network',
    'local',
    '--data-dir',
    scene.directory(),
    '--port',
    '0',
    '--https-listen',
    '127.0.0.1:0'
  ])
  const task = await begin(daemon, NAME, { zone: ZONE })
  page = await browser.newPage({ viewport: { width: 1280, height: 900 }, reducedMotion: 'reduce' })
  faults = faultsOf(page)
  await open('/events')
  await logIn(page, daemon)
  await completed(daemon, task)
})

afterAll(() => scene.end())

it('tells what happened in sentences, which can be filtered', async () => {
  await page.getByText(`The registration of ${NAME} is complete.`).waitFor()
  await typeInto(page.getByLabel('Filter'), 'stored')
  // By its name and by its check code.
  await page.getByText(/This node stored [23] records for the network/).waitFor()
  expect(await page.getByText('is complete.').count()).toBe(0)
  await button('Pause').click()
  await button('Go on').waitFor()
})

it('draws what each peer says of a name, with the same as a table', async () => {
  await open('/lookup')
  await typeInto(page.getByLabel('Name or DID'), ' Alice. ')
  await button('Look up').click()
  await page.getByText(`${NAME} belongs to this daemon`).waitFor()
  await page.getByRole('img', { name: `1 peer around ${NAME}: 1 names the owner.` }).waitFor()
  const rows = page
    .getByRole('table', { name: `The peers that were asked about ${NAME}, nearest first` })
    .locator('tbody tr')
  expect(await rows.allTextContents()).toEqual([expect.stringContaining('this daemon')])
  await page.getByRole('list', { name: 'How this daemon came to its verdict' }).getByText('The majority').waitFor()
  await page.getByRole('cell', { name: '192.0.2.10' }).waitFor()

  const line = page.getByLabel('Name or DID')
  await typeInto(line, 'bob')
  await button('Look up').click()
  await page.getByRole('heading', { name: 'bob.chronym' }).waitFor()
  await page.goBack()
  await page.getByRole('cell', { name: '192.0.2.10' }).waitFor()
  expect(await line.inputValue()).toBe(NAME)
})

it('verifies the record in the browser, which finds what a lying daemon has changed', async () => {
  await button('Verify here').click()
  await page.getByText('All 12 checks passed, made by this browser').waitFor()
  await page.route('**/api/resolve/*', async (route) => {
    const response = await route.fetch(AS_BROWSERS_DO)
    const reveal = (await response.json()) as { payload: string }
    const payload = Buffer.from(reveal.payload, 'base64').toString().replace('192.0.2.10', '192.0.2.66')
    await route.fulfill({ response, json: { ...reveal, payload: Buffer.from(payload).toString('base64') } })
  })
  // A click in the very moment in which the page shows the other record counts.
  await page.evaluate(`new MutationObserver((_, observer) => {
    if (!document.body.textContent.includes('192.0.2.66')) return
    observer.disconnect()
    for (const each of document.querySelectorAll('button')) if (each.textContent.includes('Verify here')) each.click()
  }).observe(document.body, { childList: true, subtree: true, characterData: true })`)
  await button('Ask again').click()
  await page.getByRole('alert').getByText('Not valid').waitFor()
  expect(await page.getByRole('list', { name: 'Checks' }).locator('li.bad').textContent()).toContain('signed it')
  await page.unroute('**/api/resolve/*')
})

it('shares a name with its check code, as a link and as a QR code of it', async () => {
  const coded = await codedName()
  const shown = Promise.withResolvers<undefined>()
  // What draws the code is loaded once it is asked for, and may come late.
  await page.route('**/qr.js', async (route) => {
    await shown.promise
    await route.continue()
  })
  await open(`/names/${NAME}`)
  await button('Share').click()
  const dialog = page.getByRole('dialog', { name: `Share ${NAME}` })
  await dialog.getByText(coded, { exact: true }).waitFor()
  const picture = dialog.getByRole('img', { name: `QR code of http://${coded}/` })
  expect(await picture.count(), 'no picture before there is a code in it').toBe(0)
  shown.resolve(undefined)
  expect(await scanned(page, await picture.screenshot())).toBe(`http://${coded}/`)
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await dialog.getByRole('button', { name: 'Copy the name with its code' }).click()
  await dialog.getByRole('button', { name: 'Copied' }).waitFor()
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(coded)
  expect(await seriousFindings(page)).toEqual([])
  await page.keyboard.press('Escape')
})

it('looks a name up by its check code, and never takes the bare name for a wrong one', async () => {
  const coded = await codedName()
  // The record is that of the code: peers may show another one for the bare name.
  const asked = page.waitForRequest((request) => request.url().endsWith(`/api/resolve/${coded}`))
  await open(`/lookup/${coded}`)
  await asked
  await page.getByRole('heading', { name: coded }).waitFor()
  await page.getByText('resolves: proven by its check code').waitFor()
  await page.getByText('which alone has it').waitFor()
  await page.getByRole('cell', { name: '192.0.2.10' }).waitFor()
  await button('Verify here').click()
  await page.getByText('All 12 checks passed').waitFor()
  await open('/lookup/alice--zzzzzz.chronym')
  await page.getByText(`No peer shows a claim of ${NAME} with the code zzzzzz`).first().waitFor()
  expect(await page.getByRole('heading', { name: 'What it holds' }).count()).toBe(0)
  await open('/names/free--zzzzzz.chronym')
  await page.getByText('free.chronym is not found with the code zzzzzz').waitFor()
  expect(await page.getByRole('main').getByRole('button', { name: 'Register' }).count()).toBe(0)
  expect(await seriousFindings(page)).toEqual([])
})

it('says why a name that is free or wrong is no-one’s', async () => {
  await open('/lookup/free.chronym')
  await page.getByText('Nobody owns free.chronym').waitFor()
  await open('/lookup/wrong..chronym')
  await page.getByRole('alert').getByText('wrong..chronym cannot be explained').waitFor()
  expect(await seriousFindings(page)).toEqual([])
})

it('offers a free name for registration, in a dialog that closes with its view', async () => {
  await open('/names/free.chronym')
  await page.getByText('Nobody owns free.chronym').waitFor()
  await page.getByRole('main').getByRole('button', { name: 'Register', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'Register a name' })
  expect(await dialog.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('free.chronym')
  await open('/names/other.chronym')
  await page.getByText('Nobody owns other.chronym').waitFor()
  await page.getByRole('dialog').waitFor({ state: 'hidden' })
  await page.goBack()
  await button('Log out').waitFor()
  await open('/tokens')
  await button('Replace the main token…').click()
  await page.getByRole('dialog').waitFor()
  await page.goBack()
  await page.getByText('Nobody owns free.chronym').waitFor()
  await page.getByRole('dialog').waitFor({ state: 'hidden' })
})

it('shows the zone of a foreign name without anything to edit', async () => {
  await page.route('**/api/names', (route) => route.fulfill({ json: [] }))
  await open(`/names/${NAME}`)
  await page.reload()
  await page.getByText('not yours: read only').waitFor()
  await page.getByRole('list', { name: 'Records' }).getByText('192.0.2.10').waitFor()
  expect(await page.getByRole('main').getByRole('textbox').count()).toBe(0)
  expect(
    await page
      .getByRole('main')
      .getByRole('button', { name: /Edit|Remove|Add|Save|Publish/ })
      .count()
  ).toBe(0)
  expect(await seriousFindings(page)).toEqual([])
  await page.unroute('**/api/names')
})

it('publishes a signed identity, and shows it', async () => {
  await open('/identities')
  await button('Publish a signed one').click()
  const dialog = page.getByRole('dialog', { name: 'Publish a signed document or manifest' })
  await typeInto(dialog.getByLabel('Or its text'), '{"a": 1}')
  await dialog.getByRole('button', { name: 'Publish' }).click()
  await dialog.getByText('This is neither an identity document').waitFor()
  expect(await seriousFindings(page)).toEqual([])
  const { data_dir: directory } = daemon.summary
  const { stdout: signed } = await runToEnd('src/cli/main.ts', ['kid', 'create', '--json', '--data-dir', directory])
  await typeInto(dialog.getByLabel('Or its text'), signed)
  await dialog.getByText('An identity document').waitFor()
  await dialog.getByRole('button', { name: 'Publish' }).click()
  await page.getByText('Version 1 of the identity document is at 1 of 1 peer.').waitFor()
  const [own] = (await daemon.request('GET', '/api/identities')).body
  expect(await page.getByLabel('DID', { exact: true }).inputValue()).toBe(own.did)
  await page.getByRole('cell', { name: 'logs in, makes statements' }).waitFor()
})

it('makes an identity that the daemon signs, carried by a name', async () => {
  await button('Make an identity').click()
  const dialog = page.getByRole('dialog', { name: 'Make an identity' })
  await dialog.getByLabel('Carried by').selectOption(NAME)
  expect(await seriousFindings(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Make it' }).click()
  await page.getByText('The identity is at 1 of 1 peer.').waitFor()
  const all = (await daemon.request('GET', '/api/identities')).body as { name: string | null; index: number }[]
  expect(all.map(({ name, index }) => [name, index]).sort()).toEqual([
    [null, 0],
    [NAME, 1]
  ])
})

it('makes a token that is shown once, and revokes it', async () => {
  await open('/tokens')
  await button('New token').click()
  const dialog = page.getByRole('dialog', { name: 'New token' })
  await typeInto(dialog.getByLabel('Label'), 'monitor')
  expect(await seriousFindings(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Make it' }).click()
  const token = await page.getByLabel('Token', { exact: true }).textContent()
  const asToken = () => daemon.request('GET', '/api/names', undefined, { authorization: `Bearer ${token}` })
  expect(await asToken()).toMatchObject({ status: 200 })
  await page.keyboard.press('Escape')
  await button('I have it').click()
  expect(await page.getByText(token!).count()).toBe(0)
  await button('Revoke monitor').click()
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
  await page.getByText('The token is revoked.').waitFor()
  expect(await asToken()).toMatchObject({ status: 401 })
})

it('changes a setting, says beside the field what is wrong, and takes it back', async () => {
  const queue = async () => Number((await daemon.request('GET', '/api/config')).body.vdf.queue)
  const before = await queue()
  await open('/settings')
  await button('Change vdf.queue').click()
  const field = page.getByLabel('vdf.queue', { exact: true })
  await typeInto(field, '0')
  await button('Save').click()
  await page.locator('.field-error').waitFor()
  expect(await field.getAttribute('aria-invalid')).toBe('true')
  await typeInto(field, '7')
  await button('Save').click()
  await page.getByText('vdf.queue is now 7.').waitFor()
  await page.locator('[aria-label="Change vdf.queue"]:focus').waitFor()
  expect(await queue()).toBe(7)
  await button('Take back vdf.queue').click()
  await page.getByText(`vdf.queue is ${before} again.`).waitFor()
  expect(await queue()).toBe(before)
})

it('asks before the node leaves the network', async () => {
  await button('Change mode').click()
  await page.getByLabel('mode', { exact: true }).selectOption('offline')
  await button('Save').click()
  const question = page.getByRole('dialog', { name: 'Set mode to offline?' })
  await question.getByRole('button', { name: 'Keep it' }).click()
  expect((await daemon.request('GET', '/api/network-status')).body.mode).toBe('full')
})

it('says what keeps the daemon without peers', async () => {
  const address = '/ip4/203.0.113.7/tcp/7470/p2p/12D3KooWChg1wZSLZzEVmPHcfgCuTSq1ztHHC3gvFwS84cisevJA'
  await page.route('**/api/network-status', async (route) => {
    const response = await route.fetch(AS_BROWSERS_DO)
    const addresses = [{ address, state: 'unconfirmed', confirmed_by: [], message: 'No peer came back by it.' }]
    const told = { addresses, connecting: 'No peer answers yet.' }
    await route.fulfill({ response, json: { ...((await response.json()) as object), ...told } })
  })
  await open('/network')
  const own = page.getByRole('list', { name: 'Addresses of this node' })
  // What was read before is shown until the next reading.
  await expect.poll(() => own.textContent()).toContain(address)
  await own.getByRole('button', { name: 'Copy the address' }).waitFor()
  await page.getByText('No peer answers yet.').waitFor()
  expect(await seriousFindings(page)).toEqual([])
  await page.unroute('**/api/network-status')
  await page.getByRole('heading', { name: 'No peer is known' }).or(page.getByText('No peer is known')).first().waitFor()
})

it('turns https for browsers on and off', async () => {
  const https = async () => (await daemon.request('GET', '/api/dns')).body as DnsView
  await open('/network')
  await button('Turn https on').click()
  await page.getByText('https is on.').waitFor()
  // Nobody has run `chronym https setup`.
  await page.getByText('no key', { exact: true }).waitFor()
  await page.getByText(`127.0.0.1:${(await https()).https!.port}`).waitFor()
  await button('Turn https off').click()
  await page.getByText('https is off.').waitFor()
  expect((await https()).https).toBeNull()
})

it('shows the farm where there is one: workers, core time by name, and who sent a wrong proof', async () => {
  await open('/tasks')
  await page.getByRole('heading', { name: 'Ended' }).waitFor()
  expect(await page.getByRole('heading', { name: 'Farm' }).count()).toBe(0)
  const [done] = (await daemon.request('GET', '/api/vdf/tasks')).body as object[]
  const away = { name: 'far.chronym', status: 'running', phase: 'evaluate', place: 'farm', worker: 'barn-1' }
  const figures = { iterations: 3_600_000, progress: 720_000, iterations_per_second: 100, eta_seconds: 30_000 }
  await page.route('**/api/vdf/tasks', (route) => route.fulfill({ json: [{ ...done, ...away, ...figures }] }))
  const workers = [{ worker: 'barn-1', threads: 8, busy: 3, iterations_per_second: 900_000 }]
  const farm = { enabled: true, connected: true, workers, tasks: 3, wrong_proofs: 1, barred: ['barn-2'], outdated: [] }
  await page.route('**/api/farm', (route) => route.fulfill({ json: farm }))
  await page.reload()
  const cells = (table: string) => page.getByRole('table', { name: table }).locator('tbody th, tbody td')
  await page.getByRole('table', { name: 'Workers of the farm' }).waitFor()
  expect(await cells('Workers of the farm').allTextContents()).toEqual(['barn-1', '3 of 8', '900 k/s'])
  expect(await cells('Core time by name').allTextContents()).toEqual(['far.chronym', 'barn-1', '2 h', '8 h 20 min'])
  await page.getByRole('alert').getByText('barn-2').waitFor()
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    expect(await seriousFindings(page)).toEqual([])
  }
  await page.unroute('**/api/farm')
  await page.unroute('**/api/vdf/tasks')
})

it('looks for a name of the seed by a link to it, and says which field is too long', async () => {
  await open('/seed')
  const line = page.getByLabel('Name or DID of yours')
  await typeInto(line, `http://${NAME.toUpperCase()}/about`)
  await button('Find it').click()
  await page.getByText('This daemon has it.').waitFor()
  await typeInto(line, 'w'.repeat(300))
  await button('Find it').click()
  await page.locator('.field-error').getByText('id: Expected <=256').waitFor()
})

it('shows commands that lead to this daemon', async () => {
  await open('/seed')
  await page.getByText(`chronym --data-dir ${daemon.summary.data_dir} doctor`, { exact: true }).waitFor()
})

it('offers a narrow token only what it may do', async () => {
  const { body } = await daemon.request('POST', '/api/tokens', { scopes: ['read'] })
  await button('Log out').click()
  await logIn(page, body)
  await open('/settings')
  await button('Change vdf.queue').waitFor()
  expect(await button('Change vdf.queue').isDisabled()).toBe(true)
  await open('/tokens')
  await page.getByText('lacks the scope "admin"').waitFor()
  expect(await button('New token').isDisabled()).toBe(true)
  expect(await seriousFindings(page)).toEqual([])
})

it('replaces the main token, shows the new one, and goes on with it', async () => {
  await button('Log out').click()
  await logIn(page, daemon)
  await open('/tokens')
  await button('Replace the main token…').click()
  await page.getByRole('dialog').getByRole('button', { name: 'Replace it' }).click()
  const token = await page.getByLabel('Token', { exact: true }).textContent()
  expect(await daemon.request('GET', '/api/names')).toMatchObject({ status: 401 })
  const headers = { authorization: `Bearer ${token}` }
  expect(await daemon.request('GET', '/api/names', undefined, headers)).toMatchObject({ status: 200 })
  await button('I have it').click()
  await open('/settings')
  await button('Change vdf.queue').waitFor()
})

it('met no exception, and nothing that its policy refuses', () => {
  expect(faults).toEqual([])
})
