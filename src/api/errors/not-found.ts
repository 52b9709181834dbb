import type { Context, Hono } from 'hono'
import { ServiceError } from '../../errors.ts'
import type { AppEnv } from '../env.ts'

/** 405 with Allow where the path exists with another method, else 404. Call it after all routes. */
export function notFound(app: Hono<AppEnv>): (c: Context<AppEnv>) => never {
  const served = methodsByPath(app)
  return (c) => {
    const matching = served.filter(({ pattern }) => pattern.test(c.req.path))
    // As in the OpenAPI document: a path in full goes before one with parameters.
    const named = matching.filter(({ isInFull }) => isInFull)
    const methods = (named.length > 0 ? named : matching).flatMap(({ methods }) => [...methods])
    if (methods.length === 0) throw new ServiceError('SVC-REQ-004', 'Nothing is served at this path.')
    const allow = [...new Set(methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])))]
      .sort()
      .join(', ')
    c.header('Allow', allow)
    throw new ServiceError('SVC-REQ-007', `This path answers ${allow} only.`)
  }
}

function methodsByPath(app: Hono<AppEnv>): { pattern: RegExp; isInFull: boolean; methods: Set<string> }[] {
  const byPath = new Map<string, Set<string>>()
  for (const { method, path } of app.routes) {
    if (method !== 'ALL') byPath.set(path, (byPath.get(path) ?? new Set()).add(method))
  }
  return [...byPath].map(([path, methods]) => ({
    pattern: new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/:[a-z_]+/g, '[^/]+')}$`),
    isInFull: !path.includes(':'),
    methods
  }))
}
