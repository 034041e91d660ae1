/**
 * A fault that keeps a module from loading leaves its test files without a test, and so without one that fails: the
 * mutation run would call it survived. Here a test is there all the same. In a hook, so that what runs while a module
 * loads is put down to no single test.
 */
import { beforeAll, expect, it } from 'vitest'

let names: readonly string[] = []

beforeAll(async () => {
  const { catalogue } = await import('../../machines/catalogue.ts')
  await import('../../src/index.ts')
  names = Object.keys(catalogue)
})

it('every module loads', () => {
  expect(names).toContain('conversation')
})
