/** Shows a conversation to people as it goes. */
import { oneLine, plain, spanText } from '../agents/render.ts'
import type { ConveneListeners } from '../engine/convene.ts'
import type { Conversation } from '../engine/conversation.ts'
import type { ConversationEvent } from '../engine/events.ts'
import type { Message } from '../schema/message.ts'
import { type Paint, painter, wrap } from './text.ts'

export interface NarratorOptions {
  /** Takes whole lines, each with its line end. */
  write(text: string): void
  /** Default: false. */
  readonly isColoured?: boolean
  /** Columns. Default: 80. */
  readonly width?: number
  /** Whether it also tells who is asked, so that a long silence explains itself. Default: false. */
  readonly isPatient?: boolean
}

const WIDTH = 80
const INDENT = '  '
/** Most characters of a payload. */
const PAYLOAD_LENGTH = 240

/**
 * Listeners for `convene` that show what is said and what the rules make of it: who, intent, content, the speaker's
 * turns and the time left; changes of state; faults; warnings. What agents wrote is shown with terminal escapes and
 * control characters taken out. The end is not told: the outcome is there when `convene` resolves.
 */
export const narrator = (options: NarratorOptions): ConveneListeners<object, object, object> => {
  const { write, width = WIDTH, isPatient = false } = options
  const paint = painter(options.isColoured ?? false)
  let talk: Conversation | null = null
  return {
    opened(opened) {
      talk = opened
      write(headOf(opened, width, paint))
    },
    asked(turn) {
      if (!isPatient) return
      write(`${paint('dim', `… asking ${oneLine(turn.member)}: ${oneLine(turn.task)}`)}\n`)
    },
    event(heard) {
      const lines = eventLines(heard, talk, width, paint)
      if (lines.length > 0) write(`${lines.join('\n')}\n`)
    },
    warning(text) {
      write(`${paint('yellow', `Warning: ${oneLine(text)}`)}\n`)
    },
  }
}

const headOf = (talk: Conversation, width: number, paint: Paint): string => {
  const members = talk.members.map((id) => `${oneLine(id)}${id === talk.lead ? ' (lead)' : ''}`)
  return [
    ...wrap(plain(talk.goal), width).map((line) => paint('bold', line)),
    ...wrap(`Members: ${members.join(', ')}`, width),
    stateLine(talk.state, '', paint),
    '',
  ].join('\n')
}

const stateLine = (state: string, reason: string, paint: Paint): string =>
  `\n${paint('bold', `── ${oneLine(state)}`)}${reason === '' ? '' : paint('dim', ` (${oneLine(reason)})`)}`

const eventLines = (
  { event, decision }: ConversationEvent,
  talk: Conversation | null,
  width: number,
  paint: Paint,
): string[] => {
  // The opening is told when it is open.
  if (decision === null) return []
  const lines: string[] = []
  if (event.type === 'message') lines.push(...messageLines(event.message as Message, width, paint))
  else {
    const who = 'member' in event ? `${oneLine(event.member)}: ` : ''
    const why = event.type === 'fault' && event.error !== undefined ? ` – ${event.error}` : ''
    lines.push(...wrap(plain(`${who}${event.type}${why}`), width).map((line) => paint('yellow', line)))
  }
  const isOrdinary = decision.effect === 'applied' || decision.reason === event.type
  if (!isOrdinary) lines.push(INDENT + paint('yellow', `${decision.effect}: ${decision.reason}`))
  if (decision.expelled !== undefined)
    lines.push(paint('red', `${INDENT}${oneLine(decision.expelled)} is expelled`))
  const speaker =
    'member' in event ? event.member : event.type === 'message' ? (event.message as Message).from : null
  if (decision.transitions.length === 0 && speaker !== null && talk !== null && !talk.isClosed) {
    const left = leftText(talk, speaker, event.at)
    if (left !== '') lines.push(INDENT + paint('dim', left))
  }
  for (const { to, reason } of decision.transitions) lines.push(stateLine(to, reason, paint))
  return lines
}

const messageLines = (message: Message, width: number, paint: Paint): string[] => {
  const { from, intent, content, payload } = message
  // How the intent was found is of no interest here.
  const { tagged: _, ...fields } = payload
  const shown = Object.keys(fields).length === 0 ? '' : oneLine(JSON.stringify(fields))
  const cut = shown.length > PAYLOAD_LENGTH ? `${shown.slice(0, PAYLOAD_LENGTH).toWellFormed()}…` : shown
  const indented = (text: string): string[] => wrap(text, width - INDENT.length).map((line) => INDENT + line)
  return [
    `${paint('bold', oneLine(from))} ${paint('cyan', oneLine(intent))}`,
    ...(content.trim() === '' ? [] : indented(plain(content).trimEnd())),
    ...(cut === '' ? [] : indented(cut).map((line) => paint('dim', line))),
  ]
}

/** What the speaker and the group have left where they are. */
const leftText = (talk: Conversation, member: string, at: number): string => {
  const turns = talk.protocol.turnsLeft(talk.context, member, talk.state)
  return [
    ...(turns === null ? [] : [turns === 1 ? '1 turn left' : `${turns} turns left`]),
    ...(talk.dueAt === null ? [] : [`${spanText(Math.max(0, talk.dueAt - at))} left here`]),
  ].join(', ')
}
