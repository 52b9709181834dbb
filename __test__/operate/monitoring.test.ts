/** The alerts and the dashboard of docs/operate: valid for Prometheus, and of metrics that the daemon has. */
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Registry } from 'prom-client'
import { beforeAll, describe, expect, it } from 'vitest'
import { needPackages, programOf } from '../../scripts/packages.ts'
import { accessLog } from '../../src/api/middleware/access-log.ts'
import { observeAttention, type AttentionSources } from '../../src/daemon/attention-metrics.ts'
import { createMetrics, observe, type MetricSources } from '../../src/daemon/metrics.ts'
import { temporary } from '../temporary.ts'

const DOCS = resolve(import.meta.dirname, '../../docs/operate')
const RULES = join(DOCS, 'prometheus/chronym.rules.yml')
const directory = temporary()

beforeAll(() => needPackages(['prometheus']))

function promtool(...args: string[]): { status: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync(programOf('prometheus'), args, { encoding: 'utf8' })
  return { status, output: stdout + stderr }
}

/** Names of all series of a daemon. Nothing is read: gauges ask their sources when they are scraped. */
function metricNames(): Set<string> {
  const registry: Registry = createMetrics()
  const tasks = { subscribe: () => () => undefined }
  observe(registry, { tasks, backup: {} } as unknown as MetricSources)
  observeAttention(registry, {} as AttentionSources)
  accessLog({ metrics: registry } as unknown as Parameters<typeof accessLog>[0])
  const ofHistogram = (name: string): string[] => [`${name}_bucket`, `${name}_count`, `${name}_sum`]
  return new Set(registry.getMetricsAsArray().flatMap(({ name }) => [name, ...ofHistogram(name)]))
}

/** Those that a text names. */
function namedIn(text: string): string[] {
  return [...new Set(text.match(/(?<![\w:/-])(?:chronym|nodejs|process)_[a-z0-9_]+/g) ?? [])]
}

describe('each metric exists that is named', () => {
  it.each(['prometheus/chronym.rules.yml', 'grafana/chronym.json', 'monitoring.md'])('in docs/operate/%s', (file) => {
    const names = metricNames()
    const named = namedIn(readFileSync(join(DOCS, file), 'utf8'))
    expect(named).toContain('chronym_backup_age_seconds')
    expect(named.filter((name) => !names.has(name))).toEqual([])
  })

  it('in the alerts of this test', () => {
    const names = metricNames()
    const named = namedIn(readFileSync(join(import.meta.dirname, 'alerts.yml'), 'utf8'))
    expect(named.filter((name) => !names.has(name))).toEqual([])
  })
})

describe('the alerts', () => {
  it('fire for what an owner must not miss, and not where all is well', () => {
    const file = join(directory, 'alerts.yml')
    const cases = readFileSync(join(import.meta.dirname, 'alerts.yml'), 'utf8')
    writeFileSync(file, cases.replace('RULES', RULES))
    const { status, output } = promtool('test', 'rules', file)
    expect(output).toContain('SUCCESS')
    expect(status).toBe(0)
  })

  it('are each provoked', () => {
    const cases = readFileSync(join(import.meta.dirname, 'alerts.yml'), 'utf8')
    const alerts = [...readFileSync(RULES, 'utf8').matchAll(/- alert: (\w+)/g)].map(([, name]) => name!)
    expect(alerts.length).toBeGreaterThan(10)
    expect(alerts.filter((name) => !cases.includes(`"${name}"`))).toEqual([])
  })

  it('are in a configuration that Prometheus takes', () => {
    const token = join(directory, 'token')
    writeFileSync(token, 'secret')
    const config = readFileSync(join(DOCS, 'prometheus/prometheus.yml'), 'utf8')
    const file = join(directory, 'prometheus.yml')
    writeFileSync(file, config.replace('/etc/prometheus/chronym-token', token).replace('chronym.rules.yml', RULES))
    const { status, output } = promtool('check', 'config', file)
    expect(output).toContain('rules found')
    expect(status).toBe(0)
  })
})

interface Panel {
  readonly id: number
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number }
  readonly targets: readonly { readonly expr: string }[]
}

const { panels } = JSON.parse(readFileSync(join(DOCS, 'grafana/chronym.json'), 'utf8')) as { panels: Panel[] }

it('the dashboard asks what Prometheus understands', () => {
  const rules = panels
    .flatMap(({ targets }) => targets)
    .map(({ expr }, index) => `      - { record: "panel:${index}", expr: '${expr.replaceAll('$instance', '.*')}' }`)
  const file = join(directory, 'panels.yml')
  writeFileSync(file, `groups:\n  - name: panels\n    rules:\n${rules.join('\n')}\n`)
  const { status, output } = promtool('check', 'rules', file)
  expect(output).toContain(`SUCCESS: ${rules.length} rules found`)
  expect(status).toBe(0)
})

it('the dashboard has panels that do not overlap', () => {
  const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, index) => `${x + (index % w)},${y + Math.floor(index / w)}`)
  )
  expect(new Set(cells).size).toBe(cells.length)
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
})
