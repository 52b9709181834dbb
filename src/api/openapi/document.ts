import type { Hono } from 'hono'
import { generateSpecs } from 'hono-openapi'
import type { AppEnv } from '../http/request.ts'

export type OpenApiDocument = Awaited<ReturnType<typeof generateSpecs>>

const DESCRIPTION = `The HTTP interface of a Chronym daemon: names, zones and identities on a peer-to-peer network.

Authenticate with \`Authorization: Bearer <token>\`; \`chronym token\` prints the main token.
Every error is a problem document (RFC 9457); \`/errors/{code}\` explains its \`code\`.
A request body is JSON of at most 256 KiB. Unknown members are ignored, except in the configuration.
A member name may occur only once in an object. Every GET path answers HEAD too.`

const TAGS = [
  { name: 'Network', description: 'Is the daemon connected?' },
  { name: 'Resolving', description: 'Names and identities, as found in the network' },
  { name: 'Names', description: 'Owned names, and the manual way to register' },
  { name: 'VDF tasks', description: 'Registering and renewing' },
  { name: 'Zones', description: 'The DNS records of a name' },
  { name: 'Identities', description: 'Identity documents and capability manifests' },
  { name: 'DNS', description: 'The DNS server of the daemon' },
  { name: 'Daemon', description: 'Configuration and events' },
  { name: 'Tokens', description: 'Who may do what' },
  { name: 'Session', description: 'The login of the dashboard' },
  { name: 'Operations', description: 'For supervisors' },
  { name: 'Documentation', description: 'This document, and the error table' }
]

/** The OpenAPI 3.1 document of an app, made from what its endpoints say of themselves. */
export function createDocument(app: Hono<AppEnv>, version: string): Promise<OpenApiDocument> {
  return generateSpecs(app, {
    // `/openapi.json` is not a static file.
    excludeStaticFile: false,
    documentation: {
      info: {
        title: 'Chronym',
        version,
        description: DESCRIPTION,
        license: { name: 'MIT OR Apache-2.0', identifier: 'MIT OR Apache-2.0' }
      },
      servers: [{ url: '/', description: 'The daemon that serves this document' }],
      tags: TAGS,
      components: {
        securitySchemes: {
          bearer: {
            type: 'http',
            scheme: 'bearer',
            description:
              'The main token (scope admin), or one made with narrower scopes: read, vdf, publish, admin. One ' +
              'of the scopes listed at an operation suffices.'
          },
          session: {
            type: 'apiKey',
            in: 'cookie',
            name: 'chronym_session_7468',
            description:
              'The dashboard, after POST /session, beside the header X-Session-Secret; the port is part of the name'
          }
        },
        headers: {
          RequestId: {
            description: 'Taken from the request if valid, else made; the log has it beside errors',
            schema: { type: 'string' }
          },
          RetryAfter: {
            description: 'Seconds after which trying again makes sense',
            schema: { type: 'integer', minimum: 1 }
          },
          Challenge: { description: '`Bearer realm="chronym"`', schema: { type: 'string' } }
        }
      }
    }
  })
}
