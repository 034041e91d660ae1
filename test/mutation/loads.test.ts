/**
 * A fault that keeps a module from loading leaves its test files without a test, and so without one that fails: the
 * mutation run would call it survived. Here a test is there all the same. In a hook, so that what runs while a module
 * loads is put down to no single test; and caught there, for a test that a hook skips counts for nothing either.
 */
import { beforeAll, expect, it } from 'vitest'

let names: readonly string[] = []
let failure: unknown

beforeAll(async () => {
  try {
    const { catalogue } = await import('../../machines/catalogue.ts')
    await import('../../src/index.ts')
    names = Object.keys(catalogue)
  } catch (error) {
    failure = error
  }
})

it('every module loads', () => {
  expect(failure).toBeUndefined()
  expect(names).toContain('conversation')
})
