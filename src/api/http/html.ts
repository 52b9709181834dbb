import type { Context } from 'hono'
import type { AppEnv } from '../env.ts'

/** Only our own files, no inline script or style, nowhere to send to but here, framed by nobody. */
export const CONTENT_SECURITY_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
  "form-action 'none'; base-uri 'none'; frame-ancestors 'none'"

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)
}

export function html(c: Context<AppEnv>, text: string): Response {
  c.header('Content-Security-Policy', CONTENT_SECURITY_POLICY)
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
<title>${escapeHtml(title)} - Chronym</title>
<link rel="icon" href="/assets/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/assets/style.css">
</head>
<body><main class="text"><h1>${escapeHtml(title)}</h1>${content}</main></body>
</html>
`
}
