/** Of each test file, the processor time that it took with its child processes: written to TEST_TIMES where that is set. */
import { appendFileSync, readFileSync } from 'node:fs'
import { afterAll, expect } from 'vitest'

const report = process.env['TEST_TIMES']

if (report !== undefined)
  afterAll(() => {
    appendFileSync(report, `${JSON.stringify({ file: expect.getState().testPath, seconds: processorSeconds() })}\n`)
  })

/** Fields 14 to 17 of proc(5): user and system time of the process and of its children, in ticks of 10 ms. */
function processorSeconds(): number {
  if (process.platform !== 'linux') return process.cpuUsage().user / 1e6 + process.cpuUsage().system / 1e6
  const fields = readFileSync('/proc/self/stat', 'utf8')
    .replace(/^.*\) /, '')
    .split(' ')
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / 100
}
