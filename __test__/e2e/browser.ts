/** A real browser for the tests of the dashboard, and what they do in it again and again. */
import axe from 'axe-core'
import { chromium, type Browser, type Locator, type Page } from 'playwright-core'
import { expect } from 'vitest'
import { needPackages, programOf } from '../../scripts/packages.ts'
import { PATIENCE_MS } from '../wait-for.ts'
import type { Daemon } from './processes.ts'

const FLAGS = [
  '--headless=new',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync'
]

export async function launchBrowser(): Promise<Browser> {
  needPackages(['chromium'])
  const options = { executablePath: programOf('chromium'), args: FLAGS, timeout: PATIENCE_MS }
  const browser = await chromium.launch(options)
  browser.on('context', (context) => context.setDefaultTimeout(PATIENCE_MS))
  return browser
}

/** Faults of the page: exceptions, and what the Content-Security-Policy refused. */
export function faultsOf(page: Page): string[] {
  const faults: string[] = []
  page.on('pageerror', (error) => faults.push(error.stack ?? error.message))
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) faults.push(message.text())
  })
  return faults
}

/**
 * Types into a field as a person does, by mouse and key by key. Keys go to what has the focus, so a form that closes, or
 * moves the focus, loses some.
 */
export async function typeInto(field: Locator, text: string): Promise<void> {
  const { keyboard } = field.page()
  await field.click()
  await keyboard.press('ControlOrMeta+a')
  await keyboard.press('Delete')
  await keyboard.type(text)
  expect(await field.inputValue()).toBe(text)
}

export async function logIn(page: Page, { token }: Pick<Daemon, 'token'>): Promise<void> {
  await typeInto(page.getByLabel('Access token'), token)
  await page.getByRole('button', { name: 'Log in' }).click()
  await page.locator('main#main h1').waitFor()
}

/** HTML knows them with no value, or with an empty one. Preact writes "true" for those whose property has another case. */
const WRITTEN_TRUE = ['novalidate', 'readonly', 'formnovalidate', 'allowfullscreen', 'nomodule', 'ismap', 'playsinline']
  .map((attribute) => `[${attribute}="true"]`)
  .join()

/** What axe finds serious or critical on the page as it is now: rule, and the elements. `rules`: these alone. */
export async function seriousFindings(page: Page, rules?: readonly string[]): Promise<string[]> {
  // Not by page.evaluate: the policy of the page allows no eval.
  const session = await page.context().newCDPSession(page)
  const known = await session.send('Runtime.evaluate', { expression: 'typeof axe', returnByValue: true })
  if (known.result.value === 'undefined') await session.send('Runtime.evaluate', { expression: axe.source })
  const choice = rules === undefined ? { rules: { 'target-size': { enabled: true } } } : { runOnly: rules }
  const options = JSON.stringify({ resultTypes: ['violations'], ...choice })
  const { result, exceptionDetails } = await session.send('Runtime.evaluate', {
    expression: `axe.run(document, ${options}).then(({ violations }) => JSON.stringify(violations))`,
    awaitPromise: true,
    returnByValue: true
  })
  await session.detach()
  if (exceptionDetails !== undefined) throw new Error(`axe failed: ${exceptionDetails.text}`)
  const written = await page
    .locator(WRITTEN_TRUE)
    .evaluateAll((nodes) => nodes.map((node) => (node as { outerHTML: string }).outerHTML))
  return [
    ...written.map((element) => `boolean attribute with a value: ${element}`),
    ...violations(result.value as string)
  ]
}

function violations(json: string): string[] {
  return (JSON.parse(json) as axe.Result[])
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => {
      const places = nodes.map(({ target, failureSummary }) => `${target.join(' ')} ${failureSummary}`)
      return `${id}: ${places.join(' | ')}`
    })
}
