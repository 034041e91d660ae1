/** How a conversation ended, in sentences. What an outcome holds is its protocol's affair; what is there in the usual shape is told. */
import { z } from 'zod'
import { oneLine, plain, spanText } from '../agents/render.ts'
import { counted, wrap } from './text.ts'

const text = z.string().nullish().catch(null)
const facts = z.object({
  status: text,
  state: text,
  cause: text,
  turns: z.number().nullish().catch(null),
  warnings: z.array(z.string()).catch([]),
  subtasks: z
    .array(
      z.object({
        id: z.string(),
        title: text,
        owner: text,
        status: text,
        attempts: z.number().nullish().catch(null),
        output: z.unknown(),
      }),
    )
    .catch([]),
})

type Facts = z.output<typeof facts>

export interface Ending {
  readonly outcome: object
  /** The states in their order, the first included. */
  readonly path: readonly string[]
  /** ms from opening to end. */
  readonly took: number
  /** Columns. */
  readonly width: number
}

/** Most states of the path that are written out. */
const LONGEST_PATH = 40

/** The states one after the other. */
const pathText = (path: readonly string[]): string =>
  (path.length <= LONGEST_PATH
    ? path
    : [...path.slice(0, LONGEST_PATH / 2), '…', ...path.slice(-LONGEST_PATH / 2)]
  ).join(' → ')

/** One sentence: where, as what and why it ended, after how much. */
export const sentenceOf = (outcome: object, took: number): string => {
  const { status, state, cause, turns } = facts.parse(outcome)
  const where = state ? ` in "${oneLine(state)}"` : ''
  const why = [status, cause ? `(${cause})` : null].filter((part) => part !== null && part !== undefined)
  const after = [...(turns ? [counted(turns, 'turn')] : []), spanText(took)].join(' and ')
  return `Closed${where}${why.length > 0 ? `: ${oneLine(why.join(' '))}` : ''}, after ${after}.`
}

/** The sentence, the way through the states, the work with its results, and the warnings. */
export const endingText = ({ outcome, path, took, width }: Ending): string => {
  const found = facts.parse(outcome)
  return [
    sentenceOf(outcome, took),
    ...wrap(`Path: ${pathText(path)}`, width),
    ...found.subtasks.flatMap((subtask) => subtaskLines(subtask, width)),
    ...(found.warnings.length > 0 ? [`Warnings: ${found.warnings.map(oneLine).join(', ')}`] : []),
    '',
  ].join('\n')
}

const subtaskLines = (subtask: Facts['subtasks'][number], width: number): string[] => {
  const { id, title, owner, status, attempts, output } = subtask
  const about = [
    owner ? `by ${oneLine(owner)}` : 'nobody’s',
    status ? oneLine(status) : 'no result',
    ...(attempts !== null && attempts !== undefined && attempts > 1 ? [counted(attempts, 'attempt')] : []),
  ].join(', ')
  const head = `  ${oneLine(id)}${title && title !== id ? ` ${oneLine(title)}` : ''}: ${about}`
  if (output === null || output === undefined || output === '') return [head]
  const shown = typeof output === 'string' ? output : JSON.stringify(output)
  return [head, ...wrap(plain(shown), width - 6).map((line) => `      ${line}`)]
}
