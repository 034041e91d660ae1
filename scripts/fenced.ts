/**
 * The marked blocks of a Markdown file. A comment before a fenced block says what is done with it:
 *
 *     <!-- test: NAME
 *     exit: 1
 *     prints: some text
 *     -->
 *
 * `exit` is the exit code (default 0), each `prints` a text that the output holds. `<!-- generated: COMMAND -->` marks
 * a block that holds what the command prints.
 */
export interface Marked {
  readonly kind: 'test' | 'generated'
  /** The name, or the command. */
  readonly name: string
  readonly language: string
  readonly code: string
  readonly exit: number
  readonly prints: readonly string[]
  /** Line of the block, from 1. */
  readonly line: number
}

const BLOCK =
  /^<!--\s*(?<kind>test|generated):\s*(?<head>[^\n]*?)\s*(?:\n(?<body>[\s\S]*?))?-->\s*?\n+(?<fence>`{3,})(?<language>\w*)[^\n]*\n(?<code>[\s\S]*?)^\k<fence>\s*$/gm

/** Marked blocks, in their order. @throws when a mark has no block, so that none is overlooked. */
export const markedBlocks = (markdown: string): Marked[] => {
  const blocks = [...markdown.matchAll(BLOCK)].map(({ groups = {}, index }): Marked => {
    const facts = (groups.body ?? '')
      .split('\n')
      .map((line) => /^\s*(?<key>\w+):\s*(?<value>.*?)\s*$/.exec(line)?.groups)
      .filter((fact) => fact !== undefined)
    const exit = facts.find(({ key }) => key === 'exit')?.value
    return {
      kind: groups.kind === 'generated' ? 'generated' : 'test',
      name: groups.head ?? '',
      language: groups.language ?? '',
      code: groups.code ?? '',
      exit: exit === undefined ? 0 : Number(exit),
      prints: facts.flatMap(({ key, value }) => (key === 'prints' && value !== undefined ? [value] : [])),
      line: markdown.slice(0, index).split('\n').length,
    }
  })
  const marks = markdown.match(/^<!--\s*(?:test|generated):/gm)?.length ?? 0
  if (marks !== blocks.length) throw new Error(`${marks} marks, but ${blocks.length} marked blocks`)
  return blocks
}

/** What a snippet says that it prints: `console.log(…) // this`. */
export const printsOf = (code: string): string[] =>
  [...code.matchAll(/^\s*console\.log\(.*\)\s*\/\/ (.+)$/gm)].map(([, text]) => text ?? '')
