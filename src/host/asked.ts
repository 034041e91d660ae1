/** Asking the members of a conversation that a host holds: its agents at once, people by questions that wait. */
import type { Agent } from '../agents/agent.ts'
import type { Clock } from '../engine/clock.ts'
import type { ConversationEvent } from '../engine/events.ts'
import { type FacilitateSettings, facilitate } from '../engine/facilitator.ts'
import type { PendingQuestion } from '../journals/journal.ts'
import type { Observer } from '../observers/observer.ts'
import { peopleOf } from './people.ts'
import type { Room } from './room.ts'

export interface AskedOptions extends FacilitateSettings<object> {
  /** By member, those who are asked in this process. */
  readonly agents: ReadonlyMap<string, Agent<object>>
  readonly isPerson: (member: string) => boolean
  readonly clock: Clock
  readonly observer: Observer | undefined
}

/** Those of a conversation who are asked. */
export interface Asked {
  /** Answers that the journal has. */
  answered(questions: readonly PendingQuestion[]): void
  /** Whether nothing is under way but questions to people, which wait in the journal as well. */
  readonly isWaiting: boolean
  /** Stops asking; what is asked of people stays asked. Resolves when all agents have stopped, or had their time to. */
  stop(): Promise<void>
}

/** Whether anybody of these members is asked by a host with these agents and people. */
export const isAskedHere = (
  members: readonly string[],
  { agents, isPerson }: Pick<AskedOptions, 'agents' | 'isPerson'>,
): boolean => members.some((member) => agents.has(member) || isPerson(member))

/**
 * Begins to ask.
 * @param past what happened, with its decisions, for the members' view
 * @param pending questions that were asked before
 * @param failed told when asking has ended by an error, such as the journal's
 */
export const asked = (
  room: Room,
  past: readonly ConversationEvent[],
  pending: readonly PendingQuestion[],
  { agents, isPerson, clock, observer, ...settings }: AskedOptions,
  failed: (error: unknown) => void,
): Asked => {
  const { talk } = room
  const leaving = new AbortController()
  const people = peopleOf({
    pending: pending.filter(({ id }) => !talk.knows(id)),
    now: () => ({ state: talk.state, seq: talk.seq, at: clock.now(), dueAt: talk.dueAt }),
    changed(questions, question) {
      room.ask(questions)
      // Kept before long, whether or not anything else happens; where that fails, so does whatever comes next.
      const tell = (): void => {
        if (question === null) return
        const { conversation, id, member } = question
        observer?.happened?.({ type: 'asked', conversation, question: id, member })
      }
      void room.settle().then(tell, failed)
    },
  })
  // A process that died may have left questions of a state that the group has left.
  people.begin()
  /** Turns under way when the facilitator last had nothing to do; null: it has something to do. */
  let resting: number | null = null
  /** An agent is shared by all conversations, and closed by the host. */
  const shared = (agent: Agent<object>): Agent<object> =>
    Object.assign((...turn: Parameters<Agent<object>>) => agent(...turn), {
      ...(agent.timeout === undefined ? {} : { timeout: agent.timeout }),
      ...(agent.capabilities === undefined ? {} : { capabilities: agent.capabilities }),
    })
  // What was asked in a state that was left, or has been answered, waits for nobody.
  if (people.questions.length < pending.length) {
    room.ask(people.questions)
    void room.settle().catch(failed)
  }
  const all = new Map<string, Agent<object>>()
  const seat = (member: string): void => {
    const agent = agents.get(member)
    if (isPerson(member)) all.set(member, people.agent())
    else if (agent !== undefined) all.set(member, shared(agent))
  }
  for (const member of talk.members) seat(member)
  const stopListening = talk.on('event', (event) => {
    resting = null
    people.heard(event)
    if (event.event.type === 'join') seat(event.event.member)
  })

  const run = async (): Promise<void> => {
    try {
      await facilitate({
        ...settings,
        conversation: talk,
        agents: all,
        clock,
        past,
        opening: [],
        publish: () => room.settle(),
        signal: leaving.signal,
        onAbort: 'leave',
        stall: 'wait',
        observer,
        rests: (turns) => {
          resting = turns
        },
        warn: (text, error) => observer?.happened?.({ type: 'warning', conversation: talk.id, text, error }),
      })
    } catch (error) {
      failed(error)
    } finally {
      stopListening()
    }
  }
  const running = run()

  return {
    answered: (questions) => people.answered(questions),
    get isWaiting() {
      return resting === people.asked
    },
    async stop() {
      people.leave()
      leaving.abort()
      await running
    },
  }
}
