/** Markdown to prose: what a reader reads, without code blocks, tables, pictures, tags and link targets. */

/** A paragraph or a list item, with the headings above it, outermost first. */
interface Block {
  readonly trail: readonly string[]
  readonly kind: 'text' | 'item'
  readonly text: string
}

const FENCE = /^\s{0,12}(?:>\s?)*(`{3,}|~{3,})/
const ATX = /^ {0,3}(#{1,6})\s+(.*?)\s*#*\s*$/
const ITEM = /^\s*(?:[-*+]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?(.*)$/
const REFERENCE = /^ {0,3}\[[^\]]+\]:\s*\S+/
const TABLE = /^\s*\|.*\||^\s*:?-{2,}:?\s*(\|\s*:?-{2,}:?\s*)+$/
const ENTITIES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    amp: '&',
    lt: '<',
    gt: '>',
    quot: '"',
    apos: "'",
    nbsp: ' ',
    mdash: '—',
    ndash: '–',
    hellip: '…',
    bull: '•',
  }),
)

// Code spans are put aside while the rest is cleaned: `<value>` in one is not a tag, `_x_` not an emphasis.
const MARK = '\uE000'

/** One line or paragraph of Markdown as plain text; code spans keep their backticks, which tell names from words. */
export const inline = (markdown: string): string => {
  const spans: string[] = []
  const kept = markdown.replace(/(`+)(?!`)(.+?)(?<!`)\1(?!`)/g, (_all, _ticks: string, code: string) => {
    spans.push(`\`${code.trim()}\``)
    return `${MARK}${spans.length - 1}${MARK}`
  })
  return kept
    .replace(/!\[[^\]]{0,400}\](?:\([^)]{0,2000}\)|\[[^\]]{0,400}\])/g, ' ')
    .replace(/\\?\[\[[^\]]{0,400}\]\([^)]{0,2000}\)\\?\]/g, ' ')
    .replace(/\[([^\]]{0,400})\]\((?:<[^>]*>|[^()\s]*(?:\([^()]*\)[^()\s]*)*)(?:\s+"[^"]*")?\)/g, '$1')
    .replace(/\[([^\]]{1,400})\]\[[^\]]{0,400}\]/g, '$1')
    .replace(/\[\^[^\]]+\]/g, '')
    .replace(/<!--.*?-->/g, ' ')
    .replace(/<(?:https?|mailto):[^>]*>/g, ' ')
    .replace(/<sup>.*?<\/sup>/gi, '')
    .replace(/<\/?[a-zA-Z][^<>]*>/g, ' ')
    .replace(/&#(\d{1,6});/g, (_all, code: string) => String.fromCodePoint(Math.min(Number(code), 0x10ffff)))
    .replace(/&(\w+);/g, (all, name: string) => ENTITIES.get(name) ?? all)
    .replace(/\\([\\`*_{}[\]()#+\-.!|<>~])/g, '$1')
    .replace(/(\*\*|__)(?=\S)(.+?)(?<=\S)\1/g, '$2')
    .replace(/(?<![\w*])\*(?=\S)([^*]+?)(?<=\S)\*(?![\w*])/g, '$1')
    .replace(/(?<![\w_])_(?=\S)([^_]+?)(?<=\S)_(?![\w_])/g, '$1')
    .replace(/~~(.+?)~~/g, '')
    .replace(/:[a-z_]+:(?=\s|$)/g, ' ')
    .replace(/\p{Extended_Pictographic}\uFE0F?/gu, (sign) => (/[\d#*©®™]/.test(sign) ? sign : ' '))
    .replace(/^\s*\[!(?:NOTE|TIP|IMPORTANT|WARNING|CAUTION)\]\s*/i, '')
    .replace(new RegExp(`${MARK}(\\d+)${MARK}`, 'g'), (_all, index: string) => spans[Number(index)] ?? '')
    .replace(/[\u2010\u2011]/g, '-')
    .replace(/\s+/g, ' ')
    .trim()
}

/** True for a list item that only links elsewhere: a line of a table of contents. */
const isLinkOnly = (markdown: string): boolean => /^\[[^\]]*\]\([^)]*\)\s*$/.test(markdown.trim())

/** The text without comments; an open one that never closes is text. */
const withoutComments = (text: string): string => {
  let kept = ''
  let at = 0
  for (let open = text.indexOf('<!--'); open >= 0; open = text.indexOf('<!--', at)) {
    const close = text.indexOf('-->', open + 4)
    if (close < 0) break
    kept += text.slice(at, open)
    at = close + 3
  }
  return kept + text.slice(at)
}

/** Lines without front matter and without comments that span lines. */
const linesOf = (markdown: string): string[] =>
  withoutComments(markdown.replace(/^\uFEFF?---\r?\n[\s\S]*?\r?\n---\r?\n/, '')).split(/\r\n|\r|\n/)

/** Longest text cleaned at once: patterns take time that grows faster than the text, and files may be one line. */
const LONGEST = 4_000

const slices = (text: string): string[] => {
  const cut: string[] = []
  let rest = text
  while (rest.length > LONGEST) {
    const space = rest.lastIndexOf(' ', LONGEST)
    const at = space > LONGEST / 2 ? space : LONGEST
    cut.push(rest.slice(0, at))
    rest = rest.slice(at)
  }
  return [...cut, rest]
}

/** Splits Markdown (plain text is Markdown with no marks) into blocks of prose. */
export const blocksOf = (markdown: string): Block[] => {
  const blocks: Block[] = []
  const headings: { level: number; text: string }[] = []
  let open: { kind: Block['kind']; lines: string[] } | null = null
  let fence: string | null = null
  let afterBlank = true

  const close = (): void => {
    if (open !== null) {
      const trail = headings.map((heading) => heading.text)
      for (const source of slices(open.lines.join(' '))) {
        const text = inline(source)
        if (/\p{L}/u.test(text) && !(open.kind === 'item' && isLinkOnly(source)))
          blocks.push({ trail, kind: open.kind, text })
      }
    }
    open = null
  }
  const enter = (level: number, title: string): void => {
    close()
    while (headings.length > 0 && (headings.at(-1)?.level ?? 0) >= level) headings.pop()
    const text = inline(title)
    if (text !== '') headings.push({ level, text })
  }

  for (const raw of linesOf(markdown)) {
    const mark = FENCE.exec(raw)?.[1]
    if (fence !== null) {
      if (mark?.startsWith(fence) === true) fence = null
      continue
    }
    if (mark !== undefined) {
      // An opening fence ends a paragraph but not the sentence that introduces the code: nothing is joined over it.
      close()
      fence = mark
      continue
    }
    const line = raw.replace(/^\s{0,3}(?:>\s?)+/, '')
    if (line.trim() === '') {
      close()
      afterBlank = true
      continue
    }
    const atx = ATX.exec(line)
    const item = ITEM.exec(line)
    if (atx !== null) enter(atx[1]?.length ?? 1, atx[2] ?? '')
    else if (open?.kind === 'text' && /^ {0,3}(=+|-{2,})\s*$/.test(line)) {
      const title = open.lines.join(' ')
      open = null
      enter(line.trim().startsWith('=') ? 1 : 2, title)
    } else if (/^\s{0,3}([-*_])\s*(?:\1\s*){2,}$/.test(line) || REFERENCE.test(line) || TABLE.test(line))
      close()
    else if (item !== null && !(open === null && /^ {4}/.test(line) && !hasItemAbove(blocks))) {
      close()
      open = { kind: 'item', lines: [item[1] ?? ''] }
    } else if (open === null && afterBlank && /^(?: {4}|\t)/.test(line) && !hasItemAbove(blocks)) {
      // Indented code.
    } else {
      open ??= { kind: 'text', lines: [] }
      open.lines.push(line.trim())
    }
    afterBlank = false
  }
  close()
  return blocks
}

/** Indented text after a list item continues the item; elsewhere it is code. */
const hasItemAbove = (blocks: readonly Block[]): boolean => blocks.at(-1)?.kind === 'item'
