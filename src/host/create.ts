/**
 * The host: many conversations in one process, kept in a journal. It composes what is told in room.ts (append before
 * anything is shown), seats.ts (what is in memory), watch.ts (lease and overdue conversations), asked.ts (agents and
 * people) and serving.ts (the transport).
 */
import type { Agent } from '../agents/agent.ts'
import type { Conversation } from '../engine/conversation.ts'
import type { ConversationEvent, Sent } from '../engine/events.ts'
import { freshId } from '../engine/fresh-id.ts'
import { aboutOf } from '../engine/observed.ts'
import { openConversation } from '../engine/opening.ts'
import { within } from '../engine/within.ts'
import { ColloquyError } from '../errors.ts'
import type { Summary } from '../journals/journal.ts'
import { observing } from '../observers/observing.ts'
import { followersOf } from './followers.ts'
import type { ConversationView, Host, OpenRequest } from './host.ts'
import { refuseNoAnswer } from './people.ts'
import { protocolsOf } from './protocols.ts'
import { refuseWrongFilter, refuseWrongId, refuseWrongOpening, refuseWrongQuestion } from './requests.ts'
import { seatsOf } from './seats.ts'
import { serving } from './serving.ts'
import { type HostOptions, settingsOf } from './settings.ts'
import { takingUp } from './taking-up.ts'
import { viewOf } from './view.ts'
import { watch } from './watch.ts'

/**
 * Starts a host.
 * @throws ColloquyError `USAGE` for wrong options; what the journal throws when it cannot be used
 */
export const createHost = async (options: HostOptions): Promise<Host> => {
  const settings = settingsOf(options)
  const { journal, transport, clock, contentLimit, agentsByMember: agents, isPerson } = settings
  const protocols = protocolsOf(settings.protocols)
  const observer = observing(settings.observers) ?? undefined

  const followers = followersOf()
  const taking = takingUp({ journal, protocols, clock, contentLimit })
  let closing: Promise<void> | null = null

  const heard = async (talk: Conversation, events: readonly ConversationEvent[]): Promise<void> => {
    // It may have been closed by what comes with the next append.
    if (talk.outcome !== null && events.at(-1)?.seq === talk.seq)
      observer?.happened?.({ type: 'closed', ...aboutOf(talk), outcome: talk.outcome })
    if (transport === undefined) return
    // It is kept, whether or not it can be told.
    for (const { seq, event, decision } of events)
      await transport.tell({ conversation: talk.id, seq, event, decision }).catch(failed)
  }

  const failed = (error: unknown): void => observer?.happened?.({ type: 'failed', conversation: null, error })

  const watching = await watch({
    journal,
    clock,
    ttl: settings.lease,
    name: settings.name,
    poll: settings.poll,
    urgent: async (ids) => {
      await Promise.all(ids.map((id) => lookAfter(id)))
    },
    sweep: (lease) => lookThrough(({ id, holder }) => holder === lease && seats.resident(id) === undefined),
    lost: () => seats.clear(),
    failed,
  })
  const seats = seatsOf({
    journal,
    lease: watching.lease,
    takingUp: taking,
    clock,
    asking: { ...options, agents, isPerson, clock, observer },
    followers,
    resident: settings.resident,
    soon: 2 * settings.poll,
    snapshotEvery: settings.snapshotEvery,
    observer,
    doubt: watching.doubt,
    heard,
  })

  /** Takes a conversation up, or gives it the answers that came. */
  const lookAfter = async (id: string): Promise<void> => {
    try {
      const isHere = seats.resident(id) !== undefined
      const asked = await seats.use(id, async ({ asked, room }) => {
        // A journal may not have heard of its end: it would be urgent for ever.
        if (room.talk.isClosed) await room.restate()
        return asked
      })
      if (isHere && asked !== null) asked.answered(await journal.questions(id))
    } catch (error) {
      seats.failed(id, error)
    }
  }

  const refuseClosed = (): void => {
    if (closing !== null) throw new ColloquyError('HOST_CLOSED', 'The host is closing')
  }

  /** Lets a conversation decide something. */
  const decide = async (id: string, act: (talk: Conversation) => Sent): Promise<Sent> => {
    refuseClosed()
    refuseWrongId(id)
    return seats.use(id, async ({ room }) => {
      if (room.waiting >= settings.backlog)
        throw new ColloquyError(
          'HOST_BUSY',
          `${room.waiting} requests of the conversation "${id}" wait for the journal`,
        )
      try {
        return await room.act(act)
      } catch (error) {
        seats.spoilt(room, error)
        throw error
      }
    })
  }

  const existing = async (talk: Conversation): Promise<ConversationView> => {
    const { events } = await journal.read(talk.id)
    const [wanted, found] = [talk.record()[0], events[0]]
    if (JSON.stringify({ ...wanted, at: 0 }) !== JSON.stringify({ ...found, at: 0 }))
      throw new ColloquyError('CONVERSATION_EXISTS', `There is another conversation "${talk.id}"`)
    // Whoever opened it may have died before anybody looked after it.
    return seats.use(talk.id, async ({ room }) => {
      await room.restate()
      return viewOf(room.talk, room.questions)
    })
  }

  const host: Host = {
    async open(request: OpenRequest) {
      refuseClosed()
      refuseWrongOpening(request)
      const { id = freshId('c_'), protocol: name, ...group } = request
      const protocol = protocols.named(name)
      const talk = openConversation({
        ...group,
        id,
        protocol,
        clock,
        ...(contentLimit === undefined ? {} : { contentLimit }),
      })
      const resident = seats.resident(id)
      if (resident !== undefined) {
        const isThere = await resident.then(
          () => true,
          () => false,
        )
        if (isThere) return existing(talk)
      }
      try {
        const { room } = await seats.open(talk)
        observer?.happened?.({ type: 'opened', ...aboutOf(talk), members: talk.members.length })
        return viewOf(talk, room.questions)
      } catch (error) {
        if (error instanceof ColloquyError && error.code === 'JOURNAL_CONFLICT') return existing(talk)
        throw error
      }
    },
    send: (id, message) => decide(id, (talk) => talk.receive(message)),
    join: (id, member) => decide(id, (talk) => talk.join(member)),
    leave: (id, member) => decide(id, (talk) => talk.leave(member)),
    fault: (id, member, error) => decide(id, (talk) => talk.fault(member, error)),
    cancel: (id) => decide(id, (talk) => talk.cancel()),
    async show(id) {
      refuseWrongId(id)
      // One that cannot be taken here may be read all the same.
      const seat = await seats.resident(id)?.catch(() => undefined)
      if (seat !== undefined) {
        const { room } = seat
        await room.settle()
        return viewOf(room.talk, room.questions)
      }
      const loaded = await journal.load(id)
      return loaded === null ? null : viewOf(taking.fromLoaded(loaded), loaded.questions)
    },
    async record(id) {
      refuseWrongId(id)
      return (await journal.read(id)).events
    },
    async list(filter = {}) {
      refuseWrongFilter(filter)
      return journal.list(filter)
    },
    follow: (id, { after = -1, signal } = {}) =>
      followers.follow(id, after, signal, async () => {
        refuseClosed()
        refuseWrongId(id)
        // Taken, so that what comes is heard here.
        const seat = await seats.get(id)
        await seat.room.settle()
        const { talk } = seat.room
        if (after >= talk.seq) return { events: [], isClosed: talk.isClosed }
        // The conversation may have gone on since, but is not kept yet.
        const kept = await taking.fromRecord(id)
        return { events: kept?.past ?? [], isClosed: kept?.talk.isClosed === true }
      }),
    async questions(id) {
      if (id !== undefined) refuseWrongId(id)
      return journal.questions(id)
    },
    async answer(question, answer) {
      refuseWrongQuestion(question)
      refuseNoAnswer(answer)
      await journal.answer(question, answer)
      watching.look()
    },
    close() {
      closing ??= (async () => {
        const drained = await within(settings.stopTimeout, [drain()], failed)
        // A journal that does not answer holds nobody up: nothing is asked, taken or renewed any more.
        if (!drained) {
          seats.abandon()
          void watching.stop()
          failed(
            new ColloquyError('JOURNAL_FAILED', `Not everything was kept within ${settings.stopTimeout} ms`, {
              remedy: 'What was acknowledged is kept. Send again what was not.',
            }),
          )
        }
        followers.end()
        await within(settings.stopTimeout, [...new Set(agents.values())].map(closeOf), failed)
      })()
      return closing
    },
  }

  /** Takes nothing more, finishes what it has begun, and gives its conversations back. */
  const drain = async (): Promise<void> => {
    await Promise.all([stopServing(), askingOn])
    await seats.stopAsking()
    await watching.stop()
    await seats.close()
    await watching.lease().release()
  }

  /** Looks after such of the open conversations. */
  const lookThrough = async (isMeant: (summary: Summary) => boolean): Promise<void> => {
    let after: string | undefined
    for (;;) {
      const page = await journal.list({
        closed: false,
        limit: PAGE,
        ...(after === undefined ? {} : { after }),
      })
      for (const summary of page) {
        if (closing !== null) return
        if (isMeant(summary)) await lookAfter(summary.id)
      }
      after = page.at(-1)?.id
      if (page.length < PAGE) return
    }
  }

  watching.begin()
  // The members of open conversations that nobody holds are asked on.
  const askingOn = settings.asksAnybody
    ? lookThrough(({ holder }) => holder === null).catch(failed)
    : Promise.resolve()
  const stopServing =
    transport === undefined ? async () => {} : await serving(host, transport, settings.prefetch)
  return host
}

const PAGE = 500

const closeOf = async (agent: Agent<object>): Promise<void> => agent.close?.()
