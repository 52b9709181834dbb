import { describe, expect, it } from 'vitest'
import { etaSeconds, Painter, RateMeter, renderBar, renderProgress } from '../../../src/cli/terminal/progress.ts'

describe('rate and ETA', () => {
  it('knows no rate before two samples lie apart', () => {
    const meter = new RateMeter()
    expect(meter.perSecond).toBeUndefined()
    meter.push(0, 0)
    meter.push(0, 10)
    expect(meter.perSecond).toBeUndefined()
  })

  it('follows the last ten seconds only', () => {
    const meter = new RateMeter()
    for (let second = 0; second <= 10; second += 1) meter.push(second * 1000, second * 100)
    expect(meter.perSecond).toBeCloseTo(100)
    for (let second = 11; second <= 30; second += 1) meter.push(second * 1000, 1000 + (second - 10) * 500)
    expect(meter.perSecond).toBeCloseTo(500)
  })

  it('starts over when the amount falls, as after a restart', () => {
    const meter = new RateMeter()
    meter.push(0, 5000)
    meter.push(1000, 100)
    expect(meter.perSecond).toBeUndefined()
    meter.push(2000, 300)
    expect(meter.perSecond).toBeCloseTo(200)
  })

  it('gives no ETA without a rate, and zero at the end', () => {
    expect(etaSeconds(10, 100, undefined)).toBeUndefined()
    expect(etaSeconds(10, 100, 0)).toBeUndefined()
    expect(etaSeconds(10, 100, 45)).toBe(2)
    expect(etaSeconds(100, 100, undefined)).toBe(0)
  })
})

describe('the progress line', () => {
  it.each([
    [0, '[..........]'],
    [0.55, '[#####.....]'],
    [1, '[##########]'],
    [7, '[##########]'],
    [Number.NaN, '[..........]']
  ])('draws a share of %d as %s', (share, bar) => {
    expect(renderBar(share, 12, false)).toBe(bar)
  })

  it('draws eighths of a cell where the terminal has them', () => {
    expect(renderBar(0.5 + 1 / 80, 10, true)).toBe('█████▏░░░░')
  })

  it('shows amount, rate and time left', () => {
    const line = renderProgress(
      { label: 'squaring', done: 250_000, total: 1_000_000, perSecond: 250_000, etaSeconds: 3 },
      100,
      false
    )
    expect(line).toMatch(/^squaring {2}\[#+\.+\] {3}25\.0% {2}250,000\/1,000,000 {2}250\.0 K\/s {2}3\.0 s left$/)
  })

  it('says 100% only when all is done', () => {
    expect(renderProgress({ label: 'x', done: 999_999, total: 1_000_000 }, 80, false)).toContain(' 99.9%')
    expect(renderProgress({ label: 'x', done: 10, total: 10 }, 80, false)).toContain('100.0%')
    expect(renderProgress({ label: 'x', done: 0, total: 0 }, 80, false)).toContain(' 0.0%')
  })

  it('gives up the bar, then its end, in a narrow terminal', () => {
    const view = { label: 'squaring', done: 1, total: 1000, perSecond: 10, etaSeconds: 99.9 }
    expect(renderProgress(view, 45, false)).not.toContain('[')
    for (const columns of [0, 1, 10, 45, 80, 200])
      expect(renderProgress(view, columns, true).length).toBeLessThanOrEqual(Math.max(0, columns - 1))
  })
})

describe('the painter', () => {
  function target() {
    const written: string[] = []
    return { written, columns: 60, write: (text: string) => written.push(text) }
  }

  it('repaints at most ten times a second and only what changed', () => {
    const stream = target()
    let now = 0
    const painter = new Painter(stream, false, () => now)
    painter.show({ label: 'x', done: 1, total: 10 })
    painter.show({ label: 'x', done: 2, total: 10 })
    now = 100
    painter.show({ label: 'x', done: 1, total: 10 })
    now = 200
    painter.show({ label: 'x', done: 3, total: 10 })
    expect(stream.written).toHaveLength(2)
  })

  it('keeps printed lines above the progress and clears it once', () => {
    const stream = target()
    const painter = new Painter(stream, false, () => 0)
    painter.show({ label: 'x', done: 1, total: 10 })
    painter.print('hello')
    painter.clear()
    painter.clear()
    expect(stream.written[1]?.startsWith('\r\u001b[2Khello\nx ')).toBe(true)
    expect(stream.written.slice(2)).toEqual(['\r\u001b[2K'])
  })
})
