/** A question to a person, as text: of whom, why, what may be answered and until when. */
import { oneLine, plain } from '../agents/render.ts'
import type { PendingQuestion } from '../journals/journal.ts'
import { instantText, wrap } from './text.ts'

export const questionText = (question: PendingQuestion, width: number): string => {
  const { id, member, conversation, state, at, dueAt, goal, task, allowed, expected, notice, answer } =
    question
  const line = (indent: string, text: string): string[] =>
    wrap(text, width - indent.length).map((part) => indent + part)
  return [
    `${oneLine(id)}: ${oneLine(member)} is asked in "${oneLine(state)}" of ${oneLine(conversation)}`,
    ...line(
      '  ',
      `Asked at ${instantText(at)}, ${dueAt === null ? 'without limit' : `until ${instantText(dueAt)}`}`,
    ),
    ...(goal === '' ? [] : line('  ', `Goal: ${plain(goal)}`)),
    ...line('  ', `Why: ${oneLine(task)}`),
    '  An answer may be:',
    ...allowed.flatMap(({ intent, does, form }) => [
      ...line('    ', `[${oneLine(intent)}] ${oneLine(does)}`),
      ...(form === undefined ? [] : line('      ', `fields: ${oneLine(form)}`)),
    ]),
    ...line(
      '  ',
      expected === null
        ? 'A text must tell which of these it is, best by its [intent] in front.'
        : `Only text is taken as "${oneLine(expected)}" unless it tells otherwise.`,
    ),
    ...(notice === null ? [] : line('  ', `The last answer could not be used: ${oneLine(notice)}`)),
    ...(answer === null ? [] : ['  It has been answered, and waits for a host.']),
    '',
  ].join('\n')
}
