/** Every marked block of README.md and docs/ is run: commands in a copy of the repository, TypeScript checked and run against the build. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Marked, markedBlocks, printsOf } from '../../scripts/fenced.ts'
import { compileSnippet, copyRepository, discard, root, run, scratchFolder } from '../package/scratch.ts'

const pages = [
  'README.md',
  'CONTRIBUTING.md',
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name.replaceAll('\\', '/')}`),
]
const blocks = pages.flatMap((page) =>
  markedBlocks(readFileSync(join(root, page), 'utf8')).map((block) => ({ page, block })),
)

/** Most ms for one block. */
const LIMIT = 120_000

const folder = scratchFolder()
beforeAll(() => copyRepository(folder), 300_000)
afterAll(() => discard(folder))

const check = (block: Marked, { code, stdout, stderr }: ReturnType<typeof run>): void => {
  const output = `${stdout}\n${stderr}`
  expect(code, output).toBe(block.exit)
  for (const text of block.prints) expect(output).toContain(text)
}

const runners: Readonly<Record<string, (block: Marked) => void>> = {
  sh(block) {
    check(block, run(block.code, [], { cwd: folder, timeout: LIMIT, shell: true }))
  },
  ts(block) {
    const script = compileSnippet(folder, `snippet-${block.name}`, block.code)
    const result = run(process.execPath, [script], { cwd: folder, timeout: LIMIT })
    check(block, result)
    const lines = result.stdout.split('\n')
    for (const text of printsOf(block.code)) expect(lines).toContain(text)
  },
}

describe.each([...new Set(blocks.map(({ page }) => page))])('%s', (page) => {
  const own = blocks.filter((each) => each.page === page)

  it('has names for its blocks that differ', () => {
    const names = own.filter(({ block }) => block.kind === 'test').map(({ block }) => block.name)
    expect(new Set(names).size).toBe(names.length)
  })

  for (const { block } of own) {
    if (block.kind === 'test') {
      it(`line ${block.line}: ${block.name}`, { timeout: LIMIT + 30_000 }, () => {
        const runner = runners[block.language]
        expect(runner, `a block of "${block.language}" cannot be run`).toBeDefined()
        runner?.(block)
      })
    } else {
      it(`line ${block.line}: what "${block.name}" prints`, () => {
        const [program, ...args] = block.name.split(' ')
        expect(program).toBe('colloquy')
        const { code, stdout } = run(process.execPath, ['dist/src/cli/main.js', ...args], { cwd: folder })
        expect(code).toBe(0)
        expect(block.code).toBe(stdout)
      })
    }
  }
})

describe('README.md', () => {
  it('has the blocks that the package is tested with', () => {
    const names = blocks.filter(({ page }) => page === 'README.md').map(({ block }) => block.name)
    expect(names).toContain('embed')
  })
})
