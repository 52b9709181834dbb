import type { Context } from 'hono'
import { assetPath } from '../../web/index.ts'
import type { AppEnv } from './request.ts'

/** Only our own files, no inline script or style, nowhere to send to but here, framed by nobody. */
const CONTENT_SECURITY_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
  "form-action 'none'; base-uri 'none'; frame-ancestors 'none'"

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)
}

/** A text of ours, which uses Markdown for code only. Codes of errors lead to their pages. */
export function textHtml(markdown = ''): string {
  return escapeHtml(markdown)
    .replaceAll(/`([^`]+)`/g, '<code>$1</code>')
    .replaceAll(/SVC-[A-Z]{3}-\d{3}/g, '<a href="/errors/$&">$&</a>')
}

/** `scriptSource`: of a script that the page has within itself, by its hash. */
export function html(c: Context<AppEnv>, text: string, scriptSource?: string): Response {
  const policy =
    scriptSource === undefined
      ? CONTENT_SECURITY_POLICY
      : CONTENT_SECURITY_POLICY.replace("script-src 'self'", `script-src 'self' ${scriptSource}`)
  c.header('Content-Security-Policy', policy)
  return c.body(text, 200, { 'Content-Type': 'text/html; charset=utf-8' })
}

/** Answers with a page of text in the look of the dashboard; `content` is HTML. */
export function page(c: Context<AppEnv>, title: string, content: string): Response {
  return html(c, pageText(title, content))
}

export function pageText(title: string, content: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)} - Chronym</title>
<link rel="icon" href="${assetPath('icon.svg')}" type="image/svg+xml">
<script src="${assetPath('shell/theme-boot.js')}"></script>
<link rel="stylesheet" href="${assetPath('style/base.css')}">
</head>
<body><main class="text"><h1>${escapeHtml(title)}</h1>${content}</main></body>
</html>
`
}

/** What every answer says beside its identifier: nobody sniffs, keeps or refers. */
const BASELINE = [
  ['X-Content-Type-Options', 'nosniff'],
  ['Referrer-Policy', 'no-referrer'],
  ['Cache-Control', 'no-store']
] as const

/**
 * Sets the headers of every answer, directly on Node's response: Hono's Headers object costs more than a short route.
 * Headers that a route sets with Hono replace these.
 */
export function setBaseline(c: Context<AppEnv>): void {
  const outgoing = (c.env as AppEnv['Bindings'] | undefined)?.outgoing
  outgoing?.setHeader('X-Request-Id', c.get('requestId'))
  for (const [name, value] of BASELINE) outgoing?.setHeader(name, value)
}

/** As {@link setBaseline}, to an answer that is there already, where no socket is. */
export function addBaseline(c: Context<AppEnv>): void {
  if ((c.env as AppEnv['Bindings'] | undefined)?.outgoing !== undefined) return
  c.header('X-Request-Id', c.get('requestId'))
  for (const [name, value] of BASELINE) if (!c.res.headers.has(name)) c.header(name, value)
}
