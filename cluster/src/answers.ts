/** What members answer that were asked in the cluster: people, whose answer may be refused, and agents, whom it costs a fault. */
import type { ObjectContext } from '@restatedev/restate-sdk'
import { type Answer, ColloquyError, type Conversation, utterancesOf } from 'colloquy'
import { type Asked, turnOf } from './asked.ts'
import { type Besides, findAsked, fireDue, keepChange, restored, takeUp } from './change.ts'
import { decided, terminalOf } from './failure.ts'
import type { Setting } from './setting.ts'

/** An answer, or why there is none. */
export interface Answered {
  readonly question: string
  readonly answer?: Answer
  readonly error?: string
}

/** So many failures of an agent in a row end a conversation whose rules would let them go on without end. */
const MOST_FAILURES = 20
/** Most characters of a fault's text in the record. */
const FAULT_TEXT = 2_000
const NOTHING_SHOWN = { transcript: [], omitted: 0 }

interface Said {
  /** Whether something of it counted. */
  readonly isApplied: boolean
  /** What the rules made of the rest; null: nothing was refused. */
  readonly notice: string | null
}

/**
 * Says an answer; its first message gets the question's id, so that none counts twice.
 * @throws ColloquyError `AGENT_EMPTY`, `AGENT_ANSWER_INVALID`; what was said of it must not be kept then
 */
const say = (talk: Conversation, asked: Asked, answer: Answer, now: number): Said => {
  const turn = turnOf(talk, asked, NOTHING_SHOWN, now)
  let isApplied = false
  let notice: string | null = null
  for (const [index, message] of utterancesOf(answer, turn, talk.protocol).entries()) {
    // Ids are drawn by lot elsewhere, but here the same must come of it when it is done again.
    const id = index === 0 ? asked.id : `${asked.id.slice(0, 100)}.${index}`
    const sent = talk.receive({ ...message, id }, now)
    if (sent.issues !== undefined) {
      const found = sent.issues.map(({ path, message: text }) => `${path} ${text}`).join('; ')
      throw new ColloquyError('AGENT_ANSWER_INVALID', `The answer is no valid message: ${found}`, {
        issues: sent.issues,
      })
    }
    if (sent.effect === 'applied') isApplied = true
    else notice = `Your message was ${sent.effect}: ${sent.reason}.`
  }
  return { isApplied, notice }
}

const without = (notices: Readonly<Record<string, string>>, member: string): Record<string, string> =>
  Object.fromEntries(Object.entries(notices).filter(([name]) => name !== member))

/**
 * A person's answer. What is no answer is refused, and the question stays.
 * @throws TerminalError of `QUESTION_UNKNOWN`, `QUESTION_ANSWERED`, `AGENT_EMPTY`, `AGENT_ANSWER_INVALID`
 */
export const answerByPerson = async (
  ctx: ObjectContext,
  setting: Setting,
  { question, answer = '' }: Answered,
): Promise<void> => {
  const { head, talk, now, sender } = await takeUp(ctx, setting, question)
  const asked = findAsked(head, question)
  if (sender !== null)
    throw terminalOf(
      new ColloquyError('QUESTION_ANSWERED', `The question "${question}" has an answer already`),
    )
  if (asked === undefined || asked.by !== 'person') throw unknownQuestion(question)
  const { notice } = decided(() => {
    fireDue(talk, now)
    if (talk.state !== asked.state) throw unknownQuestion(question)
    return say(talk, asked, answer, now)
  })
  const rest = without(head.notices, asked.member)
  const notices = notice === null ? rest : { ...rest, [asked.member]: notice }
  await keepChange(ctx, setting, { head, talk, now }, { settled: question, notices })
}

export const unknownQuestion = (question: string): Error =>
  terminalOf(new ColloquyError('QUESTION_UNKNOWN', `No question "${question}" waits for an answer`))

/** What an agent answered, or how it failed. When the group has moved on it changes nothing. */
export const answerByAgent = async (
  ctx: ObjectContext,
  setting: Setting,
  { question, answer = '', error }: Answered,
): Promise<void> => {
  const { head, talk, now } = await takeUp(ctx, setting, question)
  const asked = findAsked(head, question)
  if (asked === undefined) return
  const { member } = asked
  const said = decided(() => {
    fireDue(talk, now)
    return error === undefined && talk.state === asked.state ? attempt(talk, asked, answer, now) : null
  })
  const hasMoved = talk.state !== asked.state && said === null
  const failure = error ?? said?.failure
  const rest = without(head.notices, member)
  if (hasMoved || failure === undefined) {
    const notices = said?.notice == null ? rest : { ...rest, [member]: said.notice }
    const failures = { ...head.failures, [member]: 0 }
    await keepChange(ctx, setting, { head, talk, now }, { settled: question, notices, failures })
    return
  }
  // Of an answer that is of no use nothing is kept.
  const blamed = decided(() => restored(head, setting.book))
  const text = failure.slice(0, FAULT_TEXT).toWellFormed()
  const count = (head.failures[member] ?? 0) + 1
  decided(() => {
    blamed.fault(member, text, now)
    if (count >= MOST_FAILURES) blamed.cancel(now)
  })
  const besides: Besides = {
    settled: question,
    notices: { ...rest, [member]: text },
    failures: { ...head.failures, [member]: count },
  }
  await keepChange(ctx, setting, { head, talk: blamed, now }, besides)
}

interface Attempt {
  readonly notice: string | null
  readonly failure?: string
}

/** Says what an agent answered, or tells why it is of no use. */
const attempt = (talk: Conversation, asked: Asked, answer: Answer, now: number): Attempt => {
  try {
    const { isApplied, notice } = say(talk, asked, answer, now)
    if (isApplied) return { notice }
    return { notice, failure: `AGENT_ANSWER_INVALID: The answer changed nothing. ${notice ?? ''}`.trim() }
  } catch (error) {
    if (!(error instanceof ColloquyError) || error.code === 'INTERNAL') throw error
    return { notice: null, failure: `${error.code}: ${error.message}` }
  }
}
