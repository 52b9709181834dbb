import { escapeHtml, textHtml as text } from '../http/response.ts'
import type { OpenApiDocument } from './document.ts'

type Operation = NonNullable<NonNullable<OpenApiDocument['paths'][string]>['get']>
type Content = Record<string, { schema?: unknown; example?: unknown }>

const METHODS = ['get', 'post', 'patch', 'delete'] as const

/** The document as HTML: an entry for each operation by tag, then the schemas. */
export function renderDocument(document: OpenApiDocument): string {
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method]
      return operation === undefined ? [] : [{ path, method, operation }]
    })
  )
  const tags = document.tags.map(({ name, description }) => {
    const own = operations.filter(({ operation }) => operation.tags?.includes(name))
    const title = `<h2 id="${anchor(name)}">${escapeHtml(name)}</h2>`
    return `<section>${title}<p>${escapeHtml(description ?? '')}</p>${own.map(renderOperation).join('')}</section>`
  })
  const contents = document.tags
    .map(({ name }) => `<li><a href="#${anchor(name)}">${escapeHtml(name)}</a></li>`)
    .join('')
  const schemas = Object.entries(document.components.schemas ?? {}).map(
    ([name, schema]) =>
      `<details id="schema-${anchor(name)}"><summary>${escapeHtml(name)}</summary>${json(schema)}</details>`
  )
  return `${paragraphs(document.info.description)}
<p>Machines read <a href="/openapi.json">/openapi.json</a>.</p>
<nav aria-label="Contents"><ul>${contents}<li><a href="#schemas">Schemas</a></li></ul></nav>
${tags.join('\n')}
<section><h2 id="schemas">Schemas</h2>${schemas.join('')}</section>`
}

function renderOperation({ path, method, operation }: { path: string; method: string; operation: Operation }): string {
  const parameters = (operation.parameters ?? []).flatMap((parameter) =>
    'name' in parameter
      ? [row([`<code>${escapeHtml(parameter.name)}</code>`, parameter.in, text(parameter.description)])]
      : []
  )
  const responses = Object.entries(operation.responses).map(([status, response]) => {
    const { description, content } = response as { description: string; content?: Content }
    return row([escapeHtml(status), text(description), renderContent(content)])
  })
  const call = `<code><b>${method.toUpperCase()}</b> ${escapeHtml(path)}</code>`
  const body = operation.requestBody as { content: Content } | undefined
  return `<details class="operation"><summary>${call} ${text(operation.summary)}</summary>
<p>${text(operation.description)} ${access(operation)}</p>
${parameters.length === 0 ? '' : `<h3>Parameters</h3>${table(['Name', 'In', 'Meaning'], parameters)}`}
${body === undefined ? '' : `<h3>Body</h3><div>${renderContent(body.content)}</div>`}
<h3>Answers</h3>${table(['Status', 'Meaning', 'Body'], responses)}</details>`
}

const row = (cells: readonly string[]): string => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`

function table(titles: readonly string[], rows: readonly string[]): string {
  const head = titles.map((title) => `<th>${title}</th>`).join('')
  return `<table><thead><tr>${head}</tr></thead><tbody>${rows.join('')}</tbody></table>`
}

function access(operation: Operation): string {
  const scopes = operation.security?.flatMap((requirement) => requirement['bearer'] ?? []) ?? []
  return scopes.length === 0
    ? 'Public.'
    : `Needs a token with the scope ${scopes.map((scope) => `<code>${escapeHtml(scope)}</code>`).join(' or ')}.`
}

function renderContent(content: Content | undefined): string {
  return Object.entries(content ?? {})
    .map(([media, { schema }]) => `${escapeHtml(media)} ${renderSchema(schema)}`)
    .join('<br>')
}

/** A reference as a link; arrays of references too; anything else in full. */
function renderSchema(schema: unknown): string {
  if (schema === undefined) return ''
  const { $ref, type, items } = schema as { $ref?: string; type?: string; items?: { $ref?: string } }
  if ($ref !== undefined) return link($ref)
  if (type === 'array' && items?.$ref !== undefined) return `array of ${link(items.$ref)}`
  return json(schema)
}

function link(ref: string): string {
  const name = ref.split('/').at(-1) ?? ''
  return `<a href="#schema-${anchor(name)}">${escapeHtml(name)}</a>`
}

function anchor(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')
}

function json(value: unknown): string {
  return `<pre>${escapeHtml(JSON.stringify(value, null, 2))}</pre>`
}

function paragraphs(markdown: string): string {
  return markdown
    .split('\n\n')
    .map((paragraph) => `<p>${text(paragraph)}</p>`)
    .join('')
}
