/** The example tasks as they stand; they need sh and python3. */
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { colloquy, folder } from './process.ts'

const here = folder()
afterAll(() => here.remove())
const examples = join(import.meta.dirname, '../../examples/tasks')

describe('the example tasks', () => {
  it('seconds.yaml is done by three programs in three languages', async () => {
    const { code, stdout, stderr } = await colloquy(['run', join(examples, 'seconds.yaml')], {
      cwd: here.path,
    })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain('Closed in "review": accepted')
    expect(stdout).toContain('Seconds of a leap year: by ben, success\n      31622400\n')
    expect(stdout).toContain('Seconds of its February: by cy, success\n      2505600\n')
  })

  it('review.yaml is led by a person', async () => {
    const said = ['I agree', 'assign year to ben', 'assign february to cy', 'Looks right, well done', '']
    const { code, stdout } = await colloquy(['run', join(examples, 'review.yaml')], {
      cwd: here.path,
      input: said.join('\n'),
    })
    expect(code).toBe(0)
    expect(stdout).toContain('Closed in "review": accepted')
  })
})
