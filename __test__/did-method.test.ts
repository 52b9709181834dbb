import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { buildNextVersion, parseIdentityDocument } from '../src/protocol/identity/document.ts'
import { verifyIdentityLog } from '../src/protocol/identity/log.ts'
import { builtInProfiles } from '../src/protocol/profile/built-in.ts'

const page = readFileSync(new URL('../docs/did-method.md', import.meta.url), 'utf8')
const [example, driver] = [...page.matchAll(/```json\n([\s\S]*?)```/g)].map(
  ([, text]) => JSON.parse(text!) as Record<string, unknown>
)

describe('docs/did-method.md', () => {
  it('has an example that parses and verifies', () => {
    const document = parseIdentityDocument(example, builtInProfiles.local)
    expect(verifyIdentityLog([document], builtInProfiles.local).did).toBe(document.id)
    expect(buildNextVersion(document, {}).version).toBe(2)
    const forged = parseIdentityDocument({ ...example, alsoKnownAs: ['https://forged.example'] }, builtInProfiles.local)
    expect(() => verifyIdentityLog([forged], builtInProfiles.local)).toThrow()
  })

  it("has a driver entry whose pattern fits the method's DIDs", () => {
    const pattern = new RegExp(driver!['pattern'] as string, 'u')
    for (const did of [example!['id'], ...(driver!['testIdentifiers'] as string[])]) expect(did).toMatch(pattern)
  })
})
