import { afterEach, expect, it, vi } from 'vitest'
import { CONFIG_FIELDS } from '../../src/config/config.ts'
import { runChronymd } from '../../src/daemon/chronymd.ts'

afterEach(() => vi.restoreAllMocks())

it('sets each option apart from what it does in --help', async () => {
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
  expect(await runChronymd(['--help'], {})).toBe(0)
  const [[usage]] = write.mock.calls as [[string]]
  for (const { flag, help, env } of CONFIG_FIELDS) {
    expect(usage).toContain(`  --${flag} `)
    expect(usage).toContain(` ${help} (${env})\n`)
  }
})
