/** Types of the package, its benchmark and these tests, against colloquy's sources. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const root = join(import.meta.dirname, '../..')

it('the package has no type errors', () => {
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  const { stdout } = spawnSync(process.execPath, [tsc, '-p', 'cluster/tsconfig.check.json'], {
    cwd: root,
    encoding: 'utf8',
  })
  // What is wrong elsewhere is told where colloquy itself is checked.
  expect(stdout.split('\n').filter((line) => line.startsWith('cluster/'))).toEqual([])
})
