/** The documents an answer may rest on: found, read, cut into passages. Bounded in number and size. */
import { readdir, readFile, stat } from 'node:fs/promises'
import path from 'node:path'
import { ColloquyError, messageOf } from '../../src/errors.ts'
import { blocksOf } from './markdown.ts'
import { splitSentences } from './sentences.ts'

/** A piece of prose short enough to read at a glance, and where it stands. */
export interface Passage {
  readonly id: string
  /** File and headings, such as `zod/README.md › Parsing data`. */
  readonly source: string
  /** One paragraph or `- item` per line. */
  readonly text: string
}

export interface Library {
  readonly passages: readonly Passage[]
  /** How many files were read. */
  readonly files: number
  /** What was left out, and why. */
  readonly skipped: readonly { readonly file: string; readonly why: string }[]
}

interface Bounds {
  readonly maxFiles: number
  readonly maxFileBytes: number
  readonly maxPassages: number
  readonly maxPassageChars: number
}

export const BOUNDS: Bounds = {
  maxFiles: 2_000,
  maxFileBytes: 1_000_000,
  maxPassages: 20_000,
  maxPassageChars: 900,
}

const TEXT = /\.(?:md|mdx|markdown|txt|rst)$/i
const MARKDOWN = /\.(?:md|mdx|markdown)$/i
// Neither a history nor a licence answers a question about how the thing works now.
const NOT_DOCUMENTATION =
  /^(?:change-?s?log|changes|history|releases?|licen[cs]e|notice|copying|third.?party|code.of.conduct|authors|contributors|security)/i
const NOT_ABOUT_IT =
  /^(?:licen[cs]e|sponsors?|backers?|contributors?|authors?|badges|acknowledge?ments?|table of contents|contents|credits|change ?log)\b/i
const MAX_DEPTH = 8

/** Reads every document; refuses a folder that is missing or holds none. */
export const readDocuments = async (
  folder: string | null,
  bounds: Partial<Bounds> = {},
): Promise<Library> => {
  const limits = { ...BOUNDS, ...bounds }
  const root = path.resolve(folder ?? 'node_modules')
  const found = folder === null ? await packageFiles(root, limits) : await folderFiles(root, limits)
  const skipped = [...found.skipped]
  const passages: Passage[] = []
  let files = 0
  for (const file of found.files) {
    if (passages.length >= limits.maxPassages) {
      skipped.push({ file, why: `past ${limits.maxPassages} passages` })
      continue
    }
    try {
      const bytes = await readFile(path.join(root, file))
      if (bytes.includes(0)) {
        skipped.push({ file, why: 'not text' })
        continue
      }
      if (bytes.length > limits.maxFileBytes)
        skipped.push({ file, why: `read up to ${limits.maxFileBytes} bytes` })
      // A cut inside a letter leaves U+FFFD at the end: take it off.
      const text = bytes
        .subarray(0, limits.maxFileBytes)
        .toString('utf8')
        .replace(/\uFFFD+$/, '')
      files++
      passages.push(
        ...passagesOf(file, text, limits.maxPassageChars).slice(0, limits.maxPassages - passages.length),
      )
    } catch (error) {
      skipped.push({ file, why: messageOf(error) })
    }
  }
  if (passages.length === 0)
    throw new ColloquyError(
      'USAGE',
      `No documents to answer from in ${folder ?? 'node_modules'}: no .md or .txt with text.`,
      {
        remedy: 'Give a folder of text or Markdown with --docs, or install the packages first.',
      },
    )
  return { passages, files, skipped }
}

/** One file's prose in passages of at most `maxChars`; a passage never spans two headings. */
export const passagesOf = (file: string, text: string, maxChars = BOUNDS.maxPassageChars): Passage[] => {
  const passages: Passage[] = []
  let source = ''
  let lines: string[] = []
  let size = 0
  const close = (): void => {
    if (lines.length > 0)
      passages.push({ id: `${file}#${passages.length + 1}`, source, text: lines.join('\n') })
    lines = []
    size = 0
  }
  for (const block of blocksOf(text)) {
    if (block.trail.some((heading) => NOT_ABOUT_IT.test(heading))) continue
    const here = [file, ...block.trail].join(' › ')
    if (here !== source) close()
    source = here
    const mark = block.kind === 'item' ? '- ' : ''
    for (const piece of pieces(block.text, maxChars - mark.length)) {
      if (size > 0 && size + piece.length + 3 > maxChars) {
        const lead = lines[0]
        close()
        // A list that goes on in the next passage takes its introduction along: an item alone says too little.
        if (mark !== '' && lead?.endsWith(':') === true && lead.length + piece.length + 4 <= maxChars) {
          lines.push(lead)
          size = lead.length + 1
        }
      }
      lines.push(mark + piece)
      size += piece.length + mark.length + 1
    }
  }
  close()
  return passages
}

/** A block in pieces no longer than `maxChars`, cut between sentences where it can be. */
const pieces = (text: string, maxChars: number): string[] => {
  if (text.length <= maxChars) return [text]
  const cut: string[] = []
  for (const sentence of splitSentences(text)) {
    const last = cut.at(-1)
    if (last !== undefined && last.length + sentence.length < maxChars)
      cut[cut.length - 1] = `${last} ${sentence}`
    else for (let at = 0; at < sentence.length; at += maxChars) cut.push(sentence.slice(at, at + maxChars))
  }
  return cut
}

interface Found {
  files: string[]
  skipped: { file: string; why: string }[]
}

/** Every document of a folder, in the order of names. */
const folderFiles = async (root: string, limits: Bounds): Promise<Found> => {
  const info = await stat(root).catch((cause: unknown) => {
    throw new ColloquyError('USAGE', `Cannot read the folder of documents ${root}: ${messageOf(cause)}`, {
      cause,
    })
  })
  if (!info.isDirectory())
    throw new ColloquyError('USAGE', `${root} is not a folder; --docs takes a folder of documents.`)
  const found: Found = { files: [], skipped: [] }
  await walk(root, '', TEXT, limits, found, 0)
  return found
}

/** The documents of the packages directly in `node_modules`; a nested copy says nothing that the first does not. */
const packageFiles = async (root: string, limits: Bounds): Promise<Found> => {
  const found: Found = { files: [], skipped: [] }
  const names = await readdir(root).catch((cause: unknown) => {
    throw new ColloquyError('USAGE', `No installed packages to read documents from: ${messageOf(cause)}`, {
      cause,
      remedy: 'Run npm install, or give a folder with --docs.',
    })
  })
  for (const name of names.sort()) {
    if (name.startsWith('.')) continue
    const packages = name.startsWith('@')
      ? (await readdir(path.join(root, name)).catch(() => [])).sort().map((scoped) => `${name}/${scoped}`)
      : [name]
    for (const folder of packages) await walk(root, folder, MARKDOWN, limits, found, 0)
  }
  return found
}

const walk = async (
  root: string,
  folder: string,
  wanted: RegExp,
  limits: Bounds,
  found: Found,
  depth: number,
): Promise<void> => {
  const entries = await readdir(path.join(root, folder), { withFileTypes: true }).catch(() => [])
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const file = folder === '' ? entry.name : `${folder}/${entry.name}`
    if (entry.isDirectory()) {
      if (entry.name !== 'node_modules' && !entry.name.startsWith('.') && depth < MAX_DEPTH)
        await walk(root, file, wanted, limits, found, depth + 1)
    } else if (entry.isFile() && wanted.test(entry.name) && !NOT_DOCUMENTATION.test(entry.name)) {
      if (found.files.length < limits.maxFiles) found.files.push(file)
      else found.skipped.push({ file, why: `past ${limits.maxFiles} files` })
    }
  }
}
