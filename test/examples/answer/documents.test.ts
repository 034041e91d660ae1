import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { BOUNDS, passagesOf, readDocuments } from '../../../examples/answer/documents.ts'
import { blocksOf, inline } from '../../../examples/answer/markdown.ts'
import { sentencesOf, splitSentences } from '../../../examples/answer/sentences.ts'
import { library } from './library.ts'

describe('Markdown', () => {
  it('keeps prose under its headings and drops the rest', () => {
    const markdown = [
      '---',
      'title: x',
      '---',
      '# Kettle',
      '[![badge](b.svg)](https://example.com)',
      'A *good* [kettle](https://example.com/a_(b) "t") with `boil()` &amp; more.<br>',
      '<!-- hidden',
      'text -->',
      '```js',
      '# not a heading',
      '```',
      '| a | b |',
      '|---|---|',
      '| table | cell |',
      '## Lid',
      '- [Lid](#lid)',
      '- opens **wide**',
      '  and closes',
      '',
      'Setext',
      '------',
      'Last.',
      '[ref]: https://example.com',
    ].join('\n')
    expect(blocksOf(markdown)).toEqual([
      { trail: ['Kettle'], kind: 'text', text: 'A good kettle with `boil()` & more.' },
      { trail: ['Kettle', 'Lid'], kind: 'item', text: 'opens wide and closes' },
      { trail: ['Kettle', 'Setext'], kind: 'text', text: 'Last.' },
    ])
  })

  it('leaves code spans alone', () => {
    expect(inline('Set `<value>` of `a_b_c` to `**x**` in snake_case_name.')).toBe(
      'Set `<value>` of `a_b_c` to `**x**` in snake_case_name.',
    )
  })
})

describe('sentences', () => {
  it('are not cut at abbreviations, versions, file names and code', () => {
    expect(
      splitSentences(
        'Use e.g. Vite 1.2.3 or index.d.ts. `a.b()` runs. It (i.e. The tool) stops, vs. Others! done.',
      ),
    ).toEqual([
      'Use e.g. Vite 1.2.3 or index.d.ts.',
      '`a.b()` runs.',
      'It (i.e. The tool) stops, vs. Others!',
      'done.',
    ])
  })

  it('of a list know the line above it', () => {
    expect(sentencesOf('It:\n- boils.\n- hums.\nEnd.')).toEqual([
      { text: 'It:', lead: null },
      { text: 'boils.', lead: 'It:' },
      { text: 'hums.', lead: 'It:' },
      { text: 'End.', lead: null },
    ])
  })

  it('end at a Chinese full stop', () => {
    expect(splitSentences('水壶可以烧水。盖子不能打开。')).toEqual(['水壶可以烧水。', '盖子不能打开。'])
  })
})

describe('passages', () => {
  it('are bounded, whatever the text', () => {
    const text = `# A\n${'word '.repeat(5000)}\n\n${'x'.repeat(5000)}\n\n- ${'item. '.repeat(900)}`
    const passages = passagesOf('a.md', text, 300)
    expect(passages.length).toBeGreaterThan(30)
    expect(Math.max(...passages.map((passage) => passage.text.length))).toBeLessThanOrEqual(300)
    expect(new Set(passages.map((passage) => passage.id)).size).toBe(passages.length)
    expect(passages.map((passage) => passage.text).join('')).toContain('x'.repeat(200))
  })

  it.each(['Kettles boil water all day. ', '[a ', '`a` b. ', '![a]( ', '<!-- ', 'e.g. ', '*a ', '<a '])(
    'of a megabyte in one line take seconds at most: %j',
    (unit) => {
      const started = performance.now()
      passagesOf('a.md', unit.repeat(1_000_000 / unit.length))
      expect(performance.now() - started).toBeLessThan(15_000)
    },
  )

  it('never span two headings', () => {
    expect(
      passagesOf('a.md', '# A\none\n## B\ntwo\n## C\nthree').map(({ source, text }) => [source, text]),
    ).toEqual([
      ['a.md › A', 'one'],
      ['a.md › A › B', 'two'],
      ['a.md › A › C', 'three'],
    ])
  })

  it('of the installed packages are within the bounds, and of what they install only', () => {
    expect(library.files).toBeGreaterThan(50)
    for (const passage of library.passages)
      expect(passage.text.length).toBeLessThanOrEqual(BOUNDS.maxPassageChars)
    expect(library.passages.some((passage) => /change-?log|licen[cs]e\.md/i.test(passage.id))).toBe(false)
    expect(library.passages.some((passage) => passage.id.includes('node_modules/'))).toBe(false)
  })
})

describe('a folder of documents', () => {
  let folder = ''
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'answer-'))
  })
  afterEach(() => rm(folder, { recursive: true, force: true }))

  it('is read with its subfolders; licences and changelogs are not', async () => {
    await mkdir(path.join(folder, 'sub'))
    await writeFile(path.join(folder, 'sub', 'b.txt'), 'Second text here.')
    await writeFile(path.join(folder, 'a.md'), '# T\nFirst text here.')
    await writeFile(path.join(folder, 'LICENSE.md'), 'No text here.')
    await writeFile(path.join(folder, 'CHANGELOG.md'), 'No text here.')
    await writeFile(path.join(folder, 'c.js'), 'No text here.')
    const { passages, files } = await readDocuments(folder)
    expect(files).toBe(2)
    expect(passages.map(({ id, text }) => [id, text])).toEqual([
      ['a.md#1', 'First text here.'],
      ['sub/b.txt#1', 'Second text here.'],
    ])
  })

  it.each([
    ['missing', (at: string) => path.join(at, 'none'), /Cannot read the folder/],
    ['empty', (at: string) => at, /No documents to answer from/],
  ])('that is %s is refused with advice', async (_name, where, message) => {
    await expect(readDocuments(where(folder))).rejects.toMatchObject({
      code: 'USAGE',
      message: expect.stringMatching(message),
    })
  })

  it('that is a file is refused', async () => {
    const file = path.join(folder, 'a.md')
    await writeFile(file, 'text')
    await expect(readDocuments(file)).rejects.toMatchObject({
      code: 'USAGE',
      message: expect.stringMatching(/not a folder/),
    })
  })

  it('with huge, binary and broken files is read in bounds, and says what it left out', async () => {
    await writeFile(path.join(folder, 'huge.md'), `# H\n\n${'Kettles boil water all day. '.repeat(200_000)}`)
    await writeFile(path.join(folder, 'binary.md'), Buffer.from([1, 0, 2]))
    await writeFile(path.join(folder, 'umlaut.md'), 'ä'.repeat(40))
    const started = performance.now()
    const { passages, skipped, files } = await readDocuments(folder, {
      maxFileBytes: 50_001,
      maxPassages: 40,
    })
    expect(performance.now() - started).toBeLessThan(5_000)
    expect(files).toBe(1)
    expect(passages).toHaveLength(40)
    expect(passages.every((passage) => !passage.text.includes('\uFFFD'))).toBe(true)
    expect(skipped.map(({ file, why }) => `${file}: ${why}`)).toEqual([
      'binary.md: not text',
      'huge.md: read up to 50001 bytes',
      'umlaut.md: past 40 passages',
    ])
  })

  it('takes no more files than allowed', async () => {
    for (const name of ['a', 'b', 'c']) await writeFile(path.join(folder, `${name}.md`), `Text of ${name}.`)
    const { files, skipped } = await readDocuments(folder, { maxFiles: 2 })
    expect(files).toBe(2)
    expect(skipped).toEqual([{ file: 'c.md', why: 'past 2 files' }])
  })
})
