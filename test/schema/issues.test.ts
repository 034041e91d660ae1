import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { issuesOf, keysAt, pathText, unknownKey } from '../../src/schema/issues.ts'
import { nearest } from '../../src/schema/nearest.ts'

describe('a wrong field', () => {
  it('is named by a path of dots and brackets', () => {
    expect(pathText(['policy', 'turnLimit', 'review'])).toBe('policy.turnLimit.review')
    expect(pathText(['members', 2, 'id'])).toBe('members[2].id')
    expect(pathText([0, 'id'])).toBe('[0].id')
    expect(pathText([])).toBe('')
  })

  it('that is unknown is told with the nearest known one, where one is near', () => {
    const known = ['turnLimit', 'turnUnit', 'talk', 'idle']
    expect(nearest('turnlimit', known)).toBe('turnLimit')
    expect(nearest('turnLimits', known)).toBe('turnLimit')
    expect(nearest('idel', known)).toBe('idle')
    expect(nearest('completely', known)).toBeNull()
    expect(nearest('talk', [])).toBeNull()
    expect(unknownKey('tlak', known)).toBe('is unknown; did you mean "talk"?')
    expect(unknownKey('colour', known)).toBe('is unknown; known are: turnLimit, turnUnit, talk, idle')
  })

  it('is told once for each, below a prefix, with the keys known where it stands', () => {
    const schema = z.strictObject({ limits: z.strictObject({ review: z.int() }).prefault({ review: 1 }) })
    const { error } = schema.safeParse({ limits: { review: 'x', reviw: 1, other: 2 }, more: 1 })
    if (error === undefined) throw new Error('nothing was wrong')
    const issues = issuesOf(error, ['policy'], (path) => keysAt(schema, path))
    expect(issues.map(({ path }) => path).sort()).toEqual([
      'policy.limits.other',
      'policy.limits.review',
      'policy.limits.reviw',
      'policy.more',
    ])
    expect(issues.find(({ path }) => path === 'policy.limits.reviw')?.message).toContain('"review"')
    expect(issues.find(({ path }) => path === 'policy.more')?.message).toContain('known are: limits')
  })
})
