/**
 * Three agents answer a question from real documents: a retriever, a writer and an independent verifier.
 *
 *   npm start
 *   npm start -- --question "How does fast-check shrink a counterexample?"
 *   npm start -- --docs ./docs --question "Why does a conversation end?"
 */
import { parseArgs } from 'node:util'
import { plain } from '../../src/agents/render.ts'
import { sentenceOf } from '../../src/cli/ending.ts'
import { complaintOf } from '../../src/cli/failure.ts'
import { interrupts } from '../../src/cli/interrupts.ts'
import { narrator } from '../../src/cli/narrator.ts'
import { wrap } from '../../src/cli/text.ts'
import { messageOf } from '../../src/errors.ts'
import { fileNameOf } from '../../src/file-name.ts'
import {
  ColloquyError,
  chat,
  convene,
  jsonlJournal,
  type Outcome,
  type TranscriptEntry,
} from '../../src/index.ts'
import { createRetriever, createVerifier, createWriter } from './agents.ts'
import { readDocuments } from './documents.ts'
import { ANSWER, answersIn, passagesIn } from './messages.ts'
import { draftWith, judgeWith } from './prompts.ts'
import { buildSearch } from './search.ts'

const QUESTION = 'How does fast-check shrink a counterexample?'
const FOLDER = '.colloquy'
const WIDTH = 100

const HELP = `Three agents answer a question from documents: one searches, one writes, one verifies.

  --question TEXT   what to answer (default: "${QUESTION}")
  --docs DIR        a folder of text or Markdown (default: what the packages in node_modules ship)
  --model NAME      let a language model write and verify; set OPENAI_BASE_URL, and OPENAI_API_KEY where it needs one
  --record DIR      where the record goes (default: ${FOLDER})
  --help            this text
`

const options = () => {
  try {
    return parseArgs({
      options: {
        question: { type: 'string', default: QUESTION },
        docs: { type: 'string' },
        model: { type: 'string' },
        record: { type: 'string', default: FOLDER },
        help: { type: 'boolean', default: false },
      },
    }).values
  } catch (error) {
    throw new ColloquyError('USAGE', messageOf(error).split('. ')[0] ?? '', {
      remedy: 'Run npm start -- --help.',
    })
  }
}

/** The answer as far as it may be believed: what was accepted, or an honest word in its place. */
const answerOf = (outcome: Outcome, sources: readonly string[]): string => {
  const output = outcome.subtasks.find(({ id }) => id === ANSWER)?.output
  if (outcome.status === 'accepted' && typeof output === 'string')
    return [output, '', 'Sources:', ...sources.map((source) => `  ${source}`)].join('\n')
  return [
    'No answer: the verifier did not find in the documents what the writer could say to this question.',
    ...(sources.length === 0 ? [] : ['', 'What came nearest:', ...sources.map((source) => `  ${source}`)]),
  ].join('\n')
}

/** The passages that the last answer rests on, or the nearest where it failed. */
const sourcesOf = (said: readonly TranscriptEntry[], isAnswered: boolean): string[] => {
  const passages = passagesIn(said, 'writer') ?? []
  const cited = new Set(
    answersIn(said)
      .at(-1)
      ?.sentences.flatMap(({ sources }) => sources) ?? [],
  )
  const chosen = isAnswered ? passages.filter(({ id }) => cited.has(id)) : passages.slice(0, 3)
  return [...new Set(chosen.map(({ source }) => source))]
}

const main = async (): Promise<number> => {
  const { question, docs, model, record, help } = options()
  if (help) {
    process.stdout.write(HELP)
    return 0
  }
  if (question.trim() === '')
    throw new ColloquyError('USAGE', '--question is empty', { remedy: 'Ask something.' })
  const { passages, files } = await readDocuments(docs ?? null)
  const search = buildSearch(passages)
  process.stdout.write(`Read ${files} documents, ${passages.length} passages.\n\n`)

  // Two calls that share nothing: a writer would approve of what it has just said.
  const ask = (name: string) => {
    const call = chat({ model: name })
    return async (...args: Parameters<typeof call>): Promise<string> => (await call(...args)).text
  }
  const writer = model === undefined ? createWriter() : createWriter(draftWith(ask(model)))
  const verifier = model === undefined ? createVerifier() : createVerifier(judgeWith(ask(model)))

  const interrupt = interrupts((text) => process.stderr.write(text))
  const isColoured = process.stdout.isTTY === true && (process.env.NO_COLOR ?? '') === ''
  const width = Math.min(process.stdout.columns || WIDTH, WIDTH)
  const path: string[] = []
  const said: TranscriptEntry[] = []
  const listeners = narrator({ write: (text) => process.stdout.write(text), isColoured, width })
  const journal = jsonlJournal(record)
  const { outcome, record: events } = await convene({
    id: `answer-${Date.now().toString(36)}`,
    goal: question,
    lead: 'writer',
    agents: { writer, retriever: createRetriever(search), verifier },
    signal: interrupt.signal,
    journal,
    on: {
      ...listeners,
      opened(talk) {
        path.push(talk.state)
        listeners.opened?.(talk)
      },
      transition: ({ to }) => path.push(to),
      message({ event, decision, message }) {
        const { id, from, intent, content, payload, replyTo } = message
        const { effect = '', reason = '', from: state = '' } = decision ?? {}
        said.push({ id, from, intent, content, payload, replyTo, state, at: event.at, effect, reason })
      },
    },
  }).finally(() => interrupt.stop())
  await journal.close()

  const first = events[0]
  const id = first?.type === 'open' ? first.id : ''
  const took = (events.at(-1)?.at ?? 0) - (first?.at ?? 0)
  const told = [
    '',
    ...wrap(question, width),
    '',
    ...wrap(plain(answerOf(outcome, sourcesOf(said, outcome.status === 'accepted'))), width),
    '',
    sentenceOf(outcome, took),
    ...wrap(`Path: ${path.join(' → ')}`, width),
    ...(outcome.warnings.length === 0 ? [] : [`Warnings: ${outcome.warnings.join(', ')}`]),
    `Record: ${record}/${fileNameOf(id)}.jsonl`,
    '',
  ]
  process.stdout.write(told.join('\n'))
  return interrupt.exitCode() ?? 0
}

// Whoever read our output has left (`| head`): nothing is wrong, and nothing is left to do.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  process.exit(0)
})

process.exitCode = await main().catch((error: unknown) => {
  const { text, exit } = complaintOf(error, false)
  process.stderr.write(text)
  return exit
})
