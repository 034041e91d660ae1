import { describe, expect, it } from 'vitest'
import { markedBlocks, printsOf } from '../../scripts/fenced.ts'

const fence = '```'

describe('marked blocks', () => {
  it('have a name, a language, code, an exit code and what is printed', () => {
    const text = `# A\n\n<!-- test: one -->\n${fence}ts\nconst a = 1\n${fence}\n\n<!-- test: two\nexit: 65\nprints: line 3: is no JSON\nprints: done\n-->\n\n${fence}sh\nls\n${fence}\n`
    expect(markedBlocks(text)).toEqual([
      { kind: 'test', name: 'one', language: 'ts', code: 'const a = 1\n', exit: 0, prints: [], line: 3 },
      {
        kind: 'test',
        name: 'two',
        language: 'sh',
        code: 'ls\n',
        exit: 65,
        prints: ['line 3: is no JSON', 'done'],
        line: 8,
      },
    ])
  })

  it('may be generated', () => {
    const [block] = markedBlocks(`<!-- generated: colloquy draw x -->\n${fence}mermaid\na\n${fence}\n`)
    expect(block).toMatchObject({ kind: 'generated', name: 'colloquy draw x', code: 'a\n' })
  })

  it('are not those without a mark', () => {
    expect(markedBlocks(`${fence}sh\nrm\n${fence}\n`)).toEqual([])
  })

  it('a mark without its block is refused', () => {
    expect(() => markedBlocks(`<!-- test: x -->\n\ntext\n\n${fence}sh\nls\n${fence}\n`)).toThrow('1 marks')
  })

  it('say what they print', () => {
    expect(printsOf('console.log(a, b) // x y\n  console.log(c) // z\nfoo() // no')).toEqual(['x y', 'z'])
  })
})
