import { ERROR_TABLE, occurrence, type ErrorCode, type ErrorEntry } from '../../error-table.ts'

const GROUPS: Readonly<Record<string, string>> = {
  REQ: 'Requests',
  AUT: 'Authentication',
  NET: 'Peers',
  RES: 'Resolving',
  PIN: 'Pins',
  WNT: 'Looking for lost names',
  ZON: 'Zones',
  NAM: 'Names',
  OWN: 'Ownership',
  CHG: 'Changes of keys',
  REG: 'Registration',
  PUB: 'Publishing',
  KID: 'Identities',
  TSK: 'Tasks',
  VDF: 'Squaring',
  BCN: 'Beacon',
  CFG: 'Configuration',
  KEY: 'Keys',
  DNS: 'DNS server',
  STO: 'Store',
  INT: 'Internal'
}

/** docs/reference/errors.md, from the error table. Written by scripts/generate-docs.mjs. */
export function renderErrorReference(): string {
  const sections = Object.entries(GROUPS).map(([group, title]) => {
    const codes = (Object.keys(ERROR_TABLE) as ErrorCode[]).filter((code) => code.startsWith(`SVC-${group}-`)).sort()
    return `## ${title}\n\n${codes.map(renderEntry).join('\n\n')}`
  })
  return `# Errors

Made from \`src/error-table.ts\` by \`node scripts/generate-docs.mjs\`; change it there.

Every error of the HTTP interface is an [RFC 9457](https://www.rfc-editor.org/rfc/rfc9457) problem document.
Its members are \`type\`, \`title\`, \`status\`, \`detail\`, \`code\` (one of those below) and \`request_id\`.
The header \`X-Request-Id\` and the daemon's log have that id too.
Where a field is at fault, \`errors\` is a list of \`{path, message}\`.
A running daemon explains each code at \`GET /errors/{code}\`.

${sections.join('\n\n')}
`
}

function renderEntry(code: ErrorCode): string {
  const { status, title, cause, cure }: ErrorEntry = ERROR_TABLE[code]
  const where = status === null ? occurrence(code) : `HTTP ${status}`
  return `### ${code}: ${title}\n\n${where}\n\n- Cause: ${cause}\n- Cure: ${cure}`
}
