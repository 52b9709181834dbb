import type { Context } from 'hono'
import { routePath } from 'hono/route'
import { Histogram, type Registry as MetricsRegistry } from 'prom-client'
import type { AppEnv } from '../http/request.ts'
import type { ApiServices } from '../services.ts'

const METRIC = 'chronym_http_request_duration_seconds'
type Labels = 'method' | 'route' | 'status'

/** From a cached answer (1 ms) to a lookup that waits for slow peers (10 s). */
const BUCKETS_SECONDS = [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10]

function durations(registry: MetricsRegistry): Histogram<Labels> {
  const standing = registry.getSingleMetric(METRIC)
  if (standing !== undefined) return standing as Histogram<Labels>
  return new Histogram<Labels>({
    name: METRIC,
    help: 'Time until the answer of a request began, by route',
    labelNames: ['method', 'route', 'status'],
    buckets: BUCKETS_SECONDS,
    registers: [registry]
  })
}

/** The pattern of the route that answers; paths of strangers are no label. */
export function routeOf(c: Context<AppEnv>): string {
  return routePath(c) || 'none'
}

/**
 * One histogram observation and one log line a request, which began at `started` (performance.now()). Bodies, queries
 * and headers are never logged.
 */
export function accessLog({
  metrics,
  log
}: Pick<ApiServices, 'metrics' | 'log'>): (c: Context<AppEnv>, started: number, status: number) => void {
  const histogram = durations(metrics)
  return (c, started, status) => {
    const milliseconds = performance.now() - started
    const route = routeOf(c)
    const { method } = c.req
    histogram.observe({ method, route, status }, milliseconds / 1000)
    log.debug({ request_id: c.get('requestId'), method, route, status, ms: Math.round(milliseconds) }, 'request')
  }
}
