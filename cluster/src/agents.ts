/**
 * The service that asks agents, so that no conversation waits while one thinks. Their answer, or how they failed, goes
 * to the conversation by the question's id. An agent that was asked when its process died is asked again, until its
 * turn's time is up.
 */
import { type Context, service } from '@restatedev/restate-sdk'
import { type Agent, type Answer, ColloquyError } from 'colloquy'
import { terminalBug } from './failure.ts'
import type { Invitation } from './invite.ts'
import { post } from './post.ts'
import type { Setting } from './setting.ts'

type Heard = { readonly answer: Answer } | { readonly error: string }

/** ms that Restate waits longer than the turn before it takes the app for stuck. */
const SLACK = 60_000

const failureOf = (error: unknown): Heard => {
  const code = error instanceof ColloquyError ? `${error.code}: ` : ''
  return { error: `${code}${error instanceof Error ? error.message : String(error)}` }
}

/** Has the agent take the turn; resolves when it has, or its time is up. Never rejects. */
const heard = async (agent: Agent<object> | undefined, invitation: Invitation): Promise<Heard> => {
  const { turn, until } = invitation
  if (agent === undefined) return { error: `AGENT_FAILED: This app has no agent "${turn.member}"` }
  const left = until === null ? null : until - Date.now()
  const late = new ColloquyError('AGENT_TIMEOUT', 'did not answer in time')
  if (left !== null && left <= 0) return failureOf(late)
  const controller = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  const timeout = new Promise<never>((_, reject) => {
    if (left === null) return
    timer = setTimeout(
      () => {
        controller.abort(late)
        reject(late)
      },
      Math.min(left, LONGEST_TIMER),
    )
  })
  try {
    return { answer: await Promise.race([agent(turn, controller.signal), timeout]) }
  } catch (error) {
    return failureOf(error)
  } finally {
    clearTimeout(timer)
  }
}

/** ms: timers of Node that are longer fire at once. */
const LONGEST_TIMER = 2 ** 31 - 1

export const askingService = ({ askingName, name, agents, turnTimeout }: Setting) =>
  service({
    name: askingName,
    handlers: {
      ask: async (ctx: Context, invitation: Invitation): Promise<void> => {
        const { key, question, turn } = invitation
        const answered = await ctx.run('ask', () => heard(agents.get(turn.member), invitation))
        post(ctx, { service: name, method: 'answered', key, parameter: { question, ...answered } })
      },
    },
    options: {
      ingressPrivate: true,
      journalRetention: 0,
      inactivityTimeout: turnTimeout + SLACK,
      asTerminalError: terminalBug,
    },
  })
