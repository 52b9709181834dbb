import { expect, it, vi } from 'vitest'

it('asks for the C library once, and has no host of a socket looked up', async () => {
  vi.resetModules()
  const { hasGlibc } = await import('../../src/native/platform.ts')
  const report = process.report as NodeJS.ProcessReport & { excludeNetwork: boolean }
  const withoutNetwork: boolean[] = []
  const getReport = vi.spyOn(report, 'getReport').mockImplementation(() => {
    withoutNetwork.push(report.excludeNetwork)
    return { header: { glibcVersionRuntime: '2.36' } }
  })
  expect([hasGlibc(), hasGlibc()]).toEqual([true, true])
  expect(withoutNetwork).toEqual([true])
  expect(report.excludeNetwork).toBe(false)
  getReport.mockRestore()
})
