import { expect, it } from 'vitest'
import { missingPackages, TEST_PACKAGES } from '../../scripts/packages.ts'

it('packages of the system that tests need are there', () => {
  expect(missingPackages(TEST_PACKAGES)).toEqual([])
})
