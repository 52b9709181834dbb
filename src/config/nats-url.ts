/** Whether a text names NATS servers that can be dialled: one URL, or several with commas between. */
export function isNatsUrls(text: string): boolean {
  return text.split(',').every(isNatsUrl)
}

const HOST = /^(?:\[[0-9a-f:.]+\]|[a-z0-9_-]+(?:\.[a-z0-9_-]+)*\.?)$/iu

function isNatsUrl(text: string): boolean {
  const url = /^(?:nats|tls):\/\/[^\s/@?#]+$/u.test(text) ? URL.parse(text) : null
  return url !== null && HOST.test(url.hostname) && url.port !== '0'
}
