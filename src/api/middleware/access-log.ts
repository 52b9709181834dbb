import type { Context, MiddlewareHandler } from 'hono'
import { routePath } from 'hono/route'
import { Histogram, type Registry as MetricsRegistry } from 'prom-client'
import { identifyRequest, type AppEnv } from '../http/request.ts'
import { addBaseline, setBaseline } from '../http/response.ts'
import type { ApiServices } from '../services.ts'

const METRIC = 'chronym_http_request_duration_seconds'
type Labels = 'method' | 'route' | 'status'

/** From a cached answer (1 ms) to a lookup that waits for slow peers (10 s). */
const BUCKETS_SECONDS = [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10]
const EVERY_PATH = '/*'

function durations(registry: MetricsRegistry): Histogram<Labels> {
  const known = registry.getSingleMetric(METRIC)
  if (known !== undefined) return known as Histogram<Labels>
  return new Histogram<Labels>({
    name: METRIC,
    help: 'Time until the answer of a request began, by route',
    labelNames: ['method', 'route', 'status'],
    buckets: BUCKETS_SECONDS,
    registers: [registry]
  })
}

/** The pattern of the route that answers, or would; paths of strangers are not labels. */
export function routeOf(c: Context<AppEnv>): string {
  const path = routePath(c, -1)
  return path === EVERY_PATH ? 'none' : path
}

/**
 * Around everything else: the request's identifier, the headers of every answer, one histogram observation and one log
 * line. Bodies, queries and headers are never logged.
 */
export function accessLog({ metrics, log }: Pick<ApiServices, 'metrics' | 'log'>): MiddlewareHandler<AppEnv> {
  const histogram = durations(metrics)
  return async (c, next) => {
    const started = performance.now()
    identifyRequest(c)
    setBaseline(c)
    await next()
    addBaseline(c)
    const milliseconds = performance.now() - started
    const route = routeOf(c)
    const { method } = c.req
    const { status } = c.res
    histogram.observe({ method, route, status }, milliseconds / 1000)
    log.debug({ request_id: c.get('requestId'), method, route, status, ms: Math.round(milliseconds) }, 'request')
  }
}
