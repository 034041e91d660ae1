/**
 * The three agents. Each takes all it knows from its turn; the retriever alone holds something, the index. So they run
 * as well over a process, a wire, or a conversation taken up again.
 */
import type { Agent, Turn, Utterance } from '../../src/agents/agent.ts'
import type { Passage } from './documents.ts'
import { ANSWER, answersIn, PASSAGES, passagesIn, refusedIn } from './messages.ts'
import type { Search } from './search.ts'
import { type Unsupported, verify } from './verify.ts'
import { type AnswerSentence, type Draft, write } from './write.ts'

/** Makes an answer; `write` here, or a model. */
export type DraftBy = (
  question: string,
  passages: readonly Passage[],
  refused: readonly AnswerSentence[],
  signal: AbortSignal,
) => Draft | Promise<Draft>

/** Judges an answer by the passages alone; `verify` here, or a model. It is not told the question. */
export type JudgeBy = (
  answer: readonly string[],
  passages: readonly Passage[],
  signal: AbortSignal,
) => readonly Unsupported[] | Promise<readonly Unsupported[]>

/** The agents read no board, so any protocol's turn will do. */
type AnyTurn = Turn<object>

const may = (turn: AnyTurn, intent: string): boolean =>
  turn.allowed.some((allowed) => allowed.intent === intent)

/** What to say when there is nothing to do: the mildest thing the rules admit. */
const pass = (turn: AnyTurn, content: string): Utterance => {
  const intent =
    ['info', 'progress', 'agree'].find((candidate) => may(turn, candidate)) ?? turn.expected ?? 'info'
  return { intent, content, replyTo: turn.replyTo }
}

const agree = (turn: AnyTurn): Utterance => ({ intent: 'agree', content: 'Agreed.', replyTo: turn.replyTo })

const accept = (subtask: string): Utterance => ({
  intent: 'accept',
  content: `I take "${subtask}".`,
  payload: { subtask },
})

/** As lead: what the floor suggests, matched by it to what each can do; of one's own, the answer. */
const share = (turn: AnyTurn): Utterance => {
  const { subtask, owner } = turn.defaults ?? {}
  if (typeof subtask !== 'string') return accept(ANSWER)
  if (typeof owner !== 'string' || owner === turn.member || !may(turn, 'assign')) return accept(subtask)
  return { intent: 'assign', content: `"${subtask}" is for ${owner}.`, payload: { subtask, owner } }
}

const hasReported = (turn: AnyTurn): boolean =>
  turn.transcript.some((entry) => entry.from === turn.member && entry.intent === 'result')

const plain = (passages: readonly Passage[]): Passage[] =>
  passages.map(({ id, source, text }) => ({ id, source, text }))

const summary = (passages: readonly Passage[], missing: readonly string[]): string => {
  const found =
    passages.length === 0
      ? 'No passage fits.'
      : `${passages.length === 1 ? '1 passage' : `${passages.length} passages`}: ${[...new Set(passages.map(({ source }) => source))].join('; ')}.`
  return missing.length === 0
    ? found
    : `${found} No document has ${missing.map((word) => `"${word}"`).join(', ')}.`
}

/** Finds the passages for the goal of the conversation. */
export const createRetriever = (search: Search, limit = 8): Agent<object> => {
  const retriever = (turn: AnyTurn): Utterance => {
    const passages = plain(search.find(turn.goal, limit))
    const content = summary(passages, search.missing(turn.goal))
    switch (turn.state) {
      case 'discussion':
        return { intent: 'info', content, payload: { passages } }
      case 'proposal':
        return agree(turn)
      case 'assign':
        return accept(PASSAGES)
      case 'execution':
        // Rework names the answer only; the passages stand.
        if (hasReported(turn)) return pass(turn, 'The passages stand.')
        return {
          intent: 'result',
          content,
          payload: {
            subtask: PASSAGES,
            status: passages.length > 0 ? 'success' : 'failed',
            output: content,
            passages,
          },
        }
      default:
        return pass(turn, 'Whether the answer holds is for the verifier to say.')
    }
  }
  return Object.assign(retriever, { capabilities: ['search'] })
}

/** Leads: proposes the work, and writes the answer from the passages that were found. */
export const createWriter = (draft: DraftBy = write): Agent<object> => {
  const writer = async (turn: AnyTurn, signal: AbortSignal): Promise<Utterance> => {
    const passages = passagesIn(turn.transcript, turn.member)
    switch (turn.state) {
      case 'discussion':
        if (passages === null && may(turn, 'question') && !turn.lastTurn)
          return { intent: 'question', content: `Which passages speak of this: ${turn.goal}` }
        return {
          intent: 'proposal',
          content: 'One finds the passages, one writes the answer from them; who did neither judges it.',
          payload: {
            subtasks: [
              { id: PASSAGES, title: 'Find the passages that bear on the question', requires: ['search'] },
              { id: ANSWER, title: `Answer from the passages: ${turn.goal}`, requires: ['write'] },
            ],
          },
        }
      case 'proposal':
        return agree(turn)
      case 'assign':
        return share(turn)
      case 'execution': {
        if (passages === null && !turn.lastTurn) return pass(turn, 'Waiting for the passages.')
        const { status, text, sentences } = await draft(
          turn.goal,
          passages ?? [],
          refusedIn(turn.transcript, turn.member),
          signal,
        )
        return {
          intent: 'result',
          content: text,
          payload: { subtask: ANSWER, status, output: text, sentences },
        }
      }
      default:
        return pass(turn, 'I do not judge my own answer.')
    }
  }
  return Object.assign(writer, { capabilities: ['write'] })
}

/** Judges the answer by the passages; takes part in nothing else, so that it stays independent. */
export const createVerifier = (judge: JudgeBy = verify): Agent<object> => {
  const verifier = async (turn: AnyTurn, signal: AbortSignal): Promise<Utterance> => {
    if (turn.state === 'proposal') return agree(turn)
    if (turn.state !== 'review') return pass(turn, 'I judge the answer once it is there.')
    const answer = answersIn(turn.transcript)
      .filter((one) => one.from !== turn.member)
      .at(-1)
    const passages = passagesIn(turn.transcript, turn.member) ?? []
    const sentences = answer === undefined ? [] : answer.sentences.map((sentence) => sentence.text)
    const unsupported = await judge(sentences.length > 0 ? sentences : [answer?.text ?? ''], passages, signal)
    if (unsupported.length === 0)
      return { intent: 'verdict', content: `Each of the ${sentences.length} sentences rests on a passage.` }
    return {
      intent: 'reject',
      content: unsupported.map(({ sentence, reason }) => `"${sentence}": ${reason}.`).join(' '),
      payload: {
        subtasks: [ANSWER],
        unsupported: unsupported.map(({ sentence }) => sentence),
        reasons: unsupported.map(({ reason }) => reason),
      },
    }
  }
  return Object.assign(verifier, { capabilities: ['judge'] })
}
