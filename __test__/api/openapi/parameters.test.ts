/** What the document says of a parameter is what refuses it: each gets what its schema excludes. */
import { expect, it } from 'vitest'
import { createDocument } from '../../../src/api/openapi/document.ts'
import { ENDPOINTS, type EndpointCase, furnish } from '../helpers/endpoints.ts'
import { createWorld, MAIN_TOKEN } from '../helpers/world.ts'

interface Documented {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required: boolean
  readonly schema: { readonly minLength?: number; readonly maxLength?: number; readonly pattern?: string }
}

interface Attempt {
  readonly path: string
  readonly headers: Record<string, string>
}

const document = await createDocument(createWorld().app, '1.2.3')

function operationOf({ operation }: EndpointCase) {
  const [method, path] = operation.split(' ') as [string, string]
  return document.paths[path]![method.toLowerCase() as 'get']!
}

/** A request with these values of a parameter, the rest as in the case that succeeds. */
function attempt(endpoint: EndpointCase, { name, in: place }: Documented, values: readonly string[]): Attempt {
  const [path, query = ''] = endpoint.path.split('?') as [string, string?]
  const headers = { ...endpoint.headers }
  if (place === 'header') return { path: endpoint.path, headers: { ...headers, [name]: values[0]! } }
  if (place === 'path') {
    const parts = endpoint.operation.split(' ')[1]!.split('/')
    const replaced = path
      .split('/')
      .map((part, at) => (parts[at] === `{${name}}` ? encodeURIComponent(values[0]!) : part))
    return { path: `${replaced.join('/')}${query === '' ? '' : `?${query}`}`, headers }
  }
  const search = new URLSearchParams(query)
  search.delete(name)
  for (const value of values) search.append(name, value)
  return { path: `${path}?${search.toString()}`, headers }
}

/** Printable ASCII, so that a header may carry it. */
const ODD = ['!', 'a b', 'SVC', '~~~', 'running ']

function excluded({ in: place, required, schema: { minLength = 0, maxLength, pattern } }: Documented) {
  const values: [what: string, values: string[]][] = []
  // A path without its last part is another path.
  if (minLength > 0 && place !== 'path') values.push(['empty', ['']])
  if (maxLength !== undefined) values.push(['too long', ['a'.repeat(maxLength + 1)]])
  if (pattern !== undefined) {
    const odd = ODD.find((text) => !new RegExp(pattern, 'u').test(text))
    expect(odd).toBeDefined()
    values.push(['of another pattern', [odd!]])
  }
  if (place === 'query') values.push(['repeated', ['a', 'a']])
  if (place === 'query' && required) values.push(['missing', []])
  return values
}

const cases = ENDPOINTS.flatMap((endpoint) =>
  ((operationOf(endpoint).parameters ?? []) as unknown as Documented[]).flatMap((parameter) =>
    excluded(parameter).map(([what, values]) => ({
      title: `${endpoint.operation}: ${parameter.in} ${parameter.name}, ${what}`,
      ...{ endpoint, parameter, values }
    }))
  )
)

it.each(cases)('$title', async ({ endpoint, parameter, values }) => {
  const world = createWorld()
  await furnish(world, endpoint)
  const { path, headers } = attempt(endpoint, parameter, values)
  const response = await world.request(endpoint.operation.split(' ')[0]!, path, {
    ...(endpoint.token && { token: MAIN_TOKEN }),
    ...(endpoint.body !== undefined && { body: endpoint.body }),
    headers
  })
  expect([400, 404]).toContain(response.status)
  const problem = (await response.json()) as { code: string; errors: object[] }
  if ('didResolutionMetadata' in problem) {
    expect(problem.didResolutionMetadata).toMatchObject({ error: { title: 'Invalid options' } })
    return
  }
  expect(problem.errors).toEqual([{ path: parameter.name, message: expect.any(String) as unknown }])
  const documented = operationOf(endpoint).responses[response.status] as { description: string }
  expect(documented.description).toContain(problem.code)
})

it('tries every kind of parameter', () => {
  const places = new Set(cases.map(({ parameter }) => parameter.in))
  expect([...places].sort()).toEqual(['header', 'path', 'query'])
})
