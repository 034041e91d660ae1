/** A record as a table for people: one row for each event, in columns whose widths are known before the first row. */
import { oneLine, spanText } from '../agents/render.ts'
import type { Conversation } from '../engine/conversation.ts'
import type { Decision } from '../engine/decision.ts'
import type { Sent } from '../engine/events.ts'
import type { Protocol } from '../engine/protocol.ts'
import type { Happening, OpenEvent } from '../schema/record.ts'
import { clockText, counted, cut, filled, instantText, jsonText, wrap } from './text.ts'

const LONGEST_NAME = 16
/** Characters of a text that are looked at for a row. */
const LONGEST_TEXT = 500
/** Columns of the longest event that is no message, in brackets. */
const EVENT_WIDTH = 10

export interface Account {
  readonly head: string
  row(event: Happening, decision: Sent): string
}

/** What the rules made of an event: nothing special, where it led, or why it had no effect. */
const effectText = ({ effect, reason, transitions, expelled }: Decision): string =>
  [
    ...(effect === 'applied' ? (transitions.length === 0 ? [effect] : []) : [`${effect}: ${reason}`]),
    ...transitions.map((transition) => `→ ${transition.to} (${transition.reason})`),
    ...(expelled === undefined ? [] : [`(${oneLine(expelled)} is expelled)`]),
  ].join(' ')

const widest = (names: readonly string[]): number => Math.max(1, ...names.map(({ length }) => length))

/** The account of a record that opens so, at most `width` columns wide. */
export const accountOf = (open: OpenEvent, protocol: Protocol, width: number): Account => {
  const states = widest(Object.keys(protocol.machine.states))
  const who = Math.min(LONGEST_NAME, Math.max('who'.length, widest(open.members)))
  const intents = Math.max(EVENT_WIDTH, widest(Object.keys(protocol.payloads)))
  const columns = (seq: string, time: string, state: string, member: string, what: string): string =>
    [
      seq.padStart(5),
      time.padStart(9),
      filled(state, states),
      filled(cut(member, who), who),
      filled(cut(what, intents), intents),
    ].join('  ')
  const line = (left: string, effect: string, text: string): string => {
    const row = `${left}  ${text === '' ? effect : `${effect} · ${text}`}`
    return `${cut(row, width).trimEnd()}\n`
  }
  return {
    head: headOf(open, protocol, width) + line(columns('seq', 'time', 'state', 'who', 'what'), 'effect', ''),
    row: (event, decision) => {
      const { member, what, text } = saidIn(event)
      const wrong = decision.issues?.map(({ path, message }) => `${path} ${message}`).join('; ')
      const said = wrong === undefined ? text : shown(wrong)
      const seq = decision.seq === undefined ? '–' : String(decision.seq)
      const time = clockText(event.at - open.at)
      return line(columns(seq, time, decision.from, member, what), effectText(decision), said)
    },
  }
}

/** What a record is of: its conversation, protocol, members, goal, and what of the policy is not the default. */
const headOf = (open: OpenEvent, protocol: Protocol, width: number): string => {
  const members = open.members.map((id) => `${oneLine(id)}${id === open.lead ? ' (lead)' : ''}`)
  return [
    `${oneLine(open.id)}: ${protocol.name} ${protocol.version}, opened at ${instantText(open.at)}`,
    ...wrap(`Members: ${members.join(', ')}`, width),
    ...(open.goal === '' ? [] : wrap(`Goal: ${oneLine(open.goal)}`, width)),
    ...policyLines(open, protocol, width),
    '',
    '',
  ].join('\n')
}

/** What of the policy is not the default: the numbers that the conversation was held to. */
const policyLines = (open: OpenEvent, protocol: Protocol, width: number): string[] => {
  const usual = protocol.completePolicy({}, { members: open.members, lead: open.lead })
  const known = (usual.issues === undefined ? usual.policy : {}) as Readonly<Record<string, unknown>>
  const own = Object.entries(open.policy).filter(
    ([key, value]) => JSON.stringify(value) !== JSON.stringify(known[key]),
  )
  if (own.length === 0) return []
  return wrap(
    `Policy: ${own.map(([key, value]) => `${oneLine(key)} ${oneLine(jsonText(value))}`).join(', ')}`,
    width,
  )
}

/** What a row has room for, and no more, since a content may be long. */
const shown = (text: string): string => oneLine(text.slice(0, LONGEST_TEXT))

const field = (value: unknown, name: string): string => {
  const found = typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : ''
  return typeof found === 'string' ? shown(found) : '?'
}

/** Who did what in an event. A message that was rejected may be of any shape. */
const saidIn = (event: Happening): { member: string; what: string; text: string } => {
  if (event.type === 'message') {
    const { message } = event
    return {
      member: field(message, 'from'),
      what: field(message, 'intent'),
      text: field(message, 'content').replace(/^\?$/, ''),
    }
  }
  const member = 'member' in event ? oneLine(event.member) : ''
  const text = event.type === 'fault' ? shown(event.error ?? '') : ''
  return { member, what: `(${event.type})`, text }
}

/** Of a conversation that has not ended: where it stands, and what it waits for. */
export const openText = (talk: Conversation): string => {
  const due = talk.dueAt === null ? '' : `; its time here is up ${spanText(talk.dueAt - talk.at)} later`
  return `Still open in "${talk.state}" after ${counted(talk.seq, 'event')}${due}.\n`
}
