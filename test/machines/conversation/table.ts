/** Contexts put together by hand, for tests that ask what follows from one alone. */
import { type ConversationContext, opened, type Subtask } from '../../../machines/conversation/context.ts'
import { type PolicyInput, policySchema, type State } from '../../../machines/conversation/policy.ts'

interface Given extends Partial<ConversationContext> {
  readonly policy?: never
  /** Turns of this visit. */
  readonly turnsOf?: Readonly<Record<string, number>>
  readonly gone?: readonly string[]
}

/** The members a, b and c, who are led by a unless another lead is given. */
export const contextIn = (
  state: State,
  { turnsOf = {}, gone = [], ...given }: Given = {},
  policy: PolicyInput = {},
): ConversationContext => {
  const context = opened({ members: ['a', 'b', 'c'], lead: 'a', policy: policySchema.parse(policy), at: 0 })
  return {
    ...context,
    visit: { state, since: 0, bonus: 0 },
    seats: context.seats.map((seat) => ({
      ...seat,
      turns: turnsOf[seat.id] ?? 0,
      active: !gone.includes(seat.id),
    })),
    ...given,
  }
}

export const work = (id: string, more: Partial<Subtask> = {}): Subtask => ({
  id,
  title: null,
  requires: [],
  owner: null,
  offered: null,
  status: null,
  output: null,
  attempts: 0,
  byLimit: false,
  ...more,
})

export const plan = (
  id: string,
  author: string,
  agrees: readonly string[] = [],
  objects: readonly string[] = [],
) => ({ id, author, agrees, objects, subtasks: [{ id: 'x', title: 'X', requires: ['print'] }] })
