import { expect, it } from 'vitest'
import type { KeeperStatus } from '../../src/backup/kept/keeper.ts'
import { backupView } from '../../src/daemon/create-services.ts'

const kept = (status: Partial<KeeperStatus>) =>
  backupView(
    {
      status: () => ({
        writtenMs: undefined,
        isPending: false,
        failures: 0,
        state: 'kept',
        reason: undefined,
        ...status
      })
    },
    '/backups/chronym.age'
  ).kept

it('is nothing where no file is configured', () => {
  expect(backupView(undefined, '')).toEqual({ kept: null })
})

it('says when the file was written, and why it cannot be now', () => {
  const writtenMs = Date.parse('2026-11-21T12:00:00Z')
  expect(kept({ writtenMs })).toEqual({
    file: '/backups/chronym.age',
    state: 'kept',
    written_at: '2026-11-21T12:00:00.000Z',
    pending: false,
    failures: 0,
    reason: null
  })
  expect(kept({ isPending: true, failures: 2, state: 'failing', reason: 'ENOSPC' })).toMatchObject({
    written_at: null,
    pending: true,
    failures: 2,
    reason: 'ENOSPC'
  })
})
