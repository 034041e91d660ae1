/** Opening a conversation in its object, once. */
import { isDeepStrictEqual } from 'node:util'
import type { ObjectContext } from '@restatedev/restate-sdk'
import {
  ColloquyError,
  type ConversationView,
  type OpenRequest,
  openConversation,
  type Protocol,
} from 'colloquy'
import { ASKING_ID_MAX } from './asked.ts'
import { keepChange, newHead, restored } from './change.ts'
import { decided } from './failure.ts'
import { idOf } from './keys.ts'
import type { Setting } from './setting.ts'
import { HEAD, type Head, openOf } from './state.ts'
import { viewOf } from './view.ts'

/**
 * Opens the conversation of this object; opened again in the same way, it is the same conversation.
 * @throws TerminalError of `OPEN_INVALID`, `POLICY_INVALID`, `PROTOCOL_UNKNOWN`, `CONVERSATION_EXISTS`
 */
export const open = async (
  ctx: ObjectContext,
  setting: Setting,
  request: Partial<OpenRequest>,
): Promise<ConversationView> => {
  const [head, now] = await Promise.all([ctx.get<Head>(HEAD), ctx.date.now()])
  const id = idOf(ctx.key)
  if (head !== null) return openAgain(ctx, setting, request, head)
  const talk = decided(() => {
    refuseLongId(id, setting)
    return openedBy(request, id, now, setting.book.newest(request.protocol))
  })
  const opened = await keepChange(ctx, setting, { head: newHead(talk), talk, now })
  return viewOf(talk, opened)
}

const openAgain = async (
  ctx: ObjectContext,
  { book }: Setting,
  request: Partial<OpenRequest>,
  head: Head,
): Promise<ConversationView> => {
  const first = await openOf(ctx, head)
  return decided(() => {
    const { machine, version, id, at } = head.snapshot
    // With the rules that it was opened with, which complete its policy in the same way.
    const isMeant = book.newest(request.protocol).name === machine
    const again = isMeant ? openedBy(request, id, first.at, book.of(machine, version)).record()[0] : undefined
    if (again === undefined || !isDeepStrictEqual(JSON.parse(JSON.stringify(again)), first)) {
      const since = new Date(at).toISOString()
      throw new ColloquyError(
        'CONVERSATION_EXISTS',
        `The conversation "${id}" is there already, last changed ${since}, and was opened otherwise`,
      )
    }
    return viewOf(restored(head, book), head)
  })
}

const openedBy = (request: Partial<OpenRequest>, id: string, at: number, protocol: Protocol) => {
  const { goal, members = [], lead = null, policy } = request
  return openConversation({
    protocol,
    id,
    at,
    members,
    lead,
    policy,
    ...(goal === undefined ? {} : { goal }),
  })
}

const refuseLongId = (id: string, { answerers: { people, agents } }: Setting): void => {
  if (people.size + agents.size === 0 || [...id].length <= ASKING_ID_MAX) return
  const message = `must have at most ${ASKING_ID_MAX} characters where members are asked: their questions hold it`
  throw new ColloquyError('OPEN_INVALID', `The conversation was not opened: id ${message}`, {
    issues: [{ path: 'id', message }],
  })
}
