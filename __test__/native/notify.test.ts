import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { notify } from '../../src/native/addon.ts'

/** What is received at real sockets: __test__/e2e/service-manager.test.ts. */
it.each([
  ['a socket that is not there', join(tmpdir(), 'chronym-nobody'), /chronym-nobody did not take a message: .+/],
  ['an abstract name that nobody has', '@chronym-nobody', /@chronym-nobody did not take a message: .+/],
  ['a path that is too long', `/${'x'.repeat(200)}`, /did not take a message: path must be shorter/],
  ['a kind of address that it does not know', 'vsock:2:1234', /vsock:2:1234 did not take a message: .+/]
])('refuses %s, and says why', (_, address, reason) => {
  expect(() => notify(address, 'READY=1')).toThrow(
    expect.objectContaining({ code: 'NOTIFY_FAILED', message: expect.stringMatching(reason) as string }) as Error
  )
})
