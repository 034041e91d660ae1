/**
 * The conversations that a host has in memory: taken up from the journal when somebody needs them, given back when there
 * are too many, given up when the journal failed. Whatever is not in memory costs nothing but its rows.
 */
import type { Clock } from '../engine/clock.ts'
import type { Conversation } from '../engine/conversation.ts'
import { type Deadlines, deadlines } from '../engine/deadlines.ts'
import type { ConversationEvent } from '../engine/events.ts'
import { ColloquyError, type ErrorCode } from '../errors.ts'
import type { Journal, Lease, PendingQuestion } from '../journals/journal.ts'
import type { Observer } from '../observers/observer.ts'
import { type Asked, type AskedOptions, asked, isAskedHere } from './asked.ts'
import type { Followers } from './followers.ts'
import { type Room, roomOf, type TakenUp } from './room.ts'
import type { TakingUp } from './taking-up.ts'

export interface Seat {
  readonly room: Room
  /** Null: none of its members is asked by this host. */
  asked: Asked | null
}

export interface SeatsOptions {
  readonly journal: Journal
  /** The lease that is held now. */
  lease(): Lease
  readonly takingUp: TakingUp
  readonly clock: Clock
  readonly asking: AskedOptions
  readonly followers: Followers
  /** Most conversations in memory, but for those that are needed now. */
  readonly resident: number
  /** ms: what is due within them is needed. */
  readonly soon: number
  readonly snapshotEvery: number
  readonly observer: Observer | undefined
  /** A conversation may be taken that is not in memory. */
  doubt(): void
  /** Tells the rest of the world what is kept. */
  heard(talk: Conversation, events: readonly ConversationEvent[]): void | Promise<void>
}

export interface Seats {
  /** A conversation, taken up where it is not in memory. @throws ColloquyError `CONVERSATION_UNKNOWN`, `CONVERSATION_HELD`, and what the journal throws */
  get(id: string): Promise<Seat>
  /** Does something with a conversation at the very moment at which it is in memory; throws what `get` and `act` throw. */
  use<Result>(id: string, act: (seat: Seat) => Result | Promise<Result>): Promise<Result>
  /** One that is in memory; undefined for any other. */
  resident(id: string): Promise<Seat> | undefined
  /** Keeps the opening of a new conversation. @throws ColloquyError `CONVERSATION_HELD`; `JOURNAL_CONFLICT` when there is one of that id */
  open(talk: Conversation): Promise<Seat>
  /** An append failed: the room is given up, and the conversation looked at again where that may help. Safe to call twice. */
  spoilt(room: Room, error: unknown): void
  /** A conversation could not be taken up; it is looked at again where that may help. */
  failed(id: string, error: unknown): void
  /** Stops all asking. */
  stopAsking(): Promise<void>
  /** Gives up all, such as when the lease has ended. */
  clear(): void
  /** Stops without waiting for anything. */
  abandon(): void
  /** Waits for what is being kept, stops, and gives back what needs nobody. */
  close(): Promise<void>
}

const ELSEWHERE: readonly ErrorCode[] = [
  'CONVERSATION_HELD',
  'CONVERSATION_UNKNOWN',
  'LEASE_LOST',
  'HOST_CLOSED',
]
/** What is wrong with the conversation itself, and stays wrong: it is left alone, and everybody who asks for it is told. */
const LASTING: readonly ErrorCode[] = [
  'JOURNAL_CORRUPT',
  'RECORD_INVALID',
  'SNAPSHOT_INVALID',
  'PROTOCOL_UNKNOWN',
  'PROTOCOL_INVALID',
  'INTERNAL',
]
const isLasting = (error: unknown): boolean => error instanceof ColloquyError && LASTING.includes(error.code)
const isPassing = (error: unknown): boolean =>
  !(error instanceof ColloquyError && [...ELSEWHERE, ...LASTING].includes(error.code))

/** ms after which a conversation is taken up again when the journal failed in it. */
const RETRY_AFTER = 1_000
/** So many are given back at once. */
const BATCH = 1_000

export const seatsOf = (options: SeatsOptions): Seats => {
  const { journal, lease, takingUp, clock, followers, observer } = options
  const seats = new Map<string, Promise<Seat>>()
  /** Those that are taken up, in the order of their last use. */
  const ready = new Map<string, Seat>()
  /** Those that cannot be taken up here. */
  const wrong = new Set<string>()
  /** Those that are being given back: until that is done nobody may take them, or it would be undone. */
  const leaving = new Map<string, Promise<void>>()
  let isClosed = false
  /** How many are about to use a conversation: until they have begun it looks idle. */
  const wanted = new Map<string, number>()

  const onDue = (id: string): void => {
    // In memory or not: one that failed is taken up again.
    void use(id, ({ room }) => room.act((talk) => talk.tick()).catch((error) => spoilt(room, error))).catch(
      (error) => failed(id, error),
    )
  }
  const due: Deadlines<string> = deadlines(clock, onDue)
  const retries: Deadlines<string> = deadlines(clock, (id) => {
    void get(id).catch((error) => failed(id, error))
  })

  const heard = async (talk: Conversation, events: readonly ConversationEvent[]): Promise<void> => {
    // A host that is closing wakes nobody any more.
    due.set(talk.id, ready.has(talk.id) && !isClosed ? talk.dueAt : null)
    // It may have been closed by what comes with the next append.
    const isOver = talk.isClosed && events.at(-1)?.seq === talk.seq
    followers.tell(talk.id, events, isOver)
    await options.heard(talk, events)
    const seat = ready.get(talk.id)
    if (seat?.asked === null && !talk.isClosed && events.some(isJoinOfAsked)) askFromNowOn(seat)
    if (isOver) giveBack([talk.id])
  }

  const isJoinOfAsked = ({ event }: ConversationEvent): boolean =>
    event.type === 'join' && isAskedHere([event.member], options.asking)

  /** Somebody has joined who is asked here, the first of all members. */
  const askFromNowOn = (seat: Seat): void => {
    const { room } = seat
    const { id } = room.talk
    const begin = async (): Promise<void> => {
      let past: readonly ConversationEvent[] = []
      // Until what is kept is all that there is.
      do {
        await room.settle()
        past = (await takingUp.fromRecord(id))?.past ?? []
      } while ((past.at(-1)?.seq ?? 0) < room.talk.seq && ready.get(id) === seat)
      if (ready.get(id) === seat && seat.asked === null) seat.asked = seated(room, past, []).asked
    }
    void begin().catch((error) => observer?.happened?.({ type: 'failed', conversation: id, error }))
  }

  const roomFor = (taken: TakenUp, { id }: Lease): Room =>
    roomOf(taken, { journal, lease: id, snapshotEvery: options.snapshotEvery, heard, observer })

  /** Whoever of the members is asked here is asked from now on. */
  const seated = (
    room: Room,
    past: readonly ConversationEvent[],
    questions: readonly PendingQuestion[],
  ): Seat => {
    const { talk } = room
    const isAsked = !talk.isClosed && isAskedHere(talk.members, options.asking)
    return {
      room,
      asked: isAsked
        ? asked(room, past, questions, options.asking, (error) =>
            room.isSpoilt ? spoilt(room, error) : failed(talk.id, error),
          )
        : null,
    }
  }

  /** @throws ColloquyError `CONVERSATION_HELD`, `LEASE_LOST` */
  const take = async (id: string): Promise<Lease> => {
    await leaving.get(id)
    const current = lease()
    if (await current.take(id)) return current
    throw new ColloquyError('CONVERSATION_HELD', `Another host holds the conversation "${id}"`)
  }

  const takeUp = async (id: string): Promise<Seat> => {
    try {
      return await fromJournal(id, await take(id))
    } catch (error) {
      if (isPassing(error)) options.doubt()
      // A host that knows its rules may take it.
      else if (isLasting(error))
        await lease()
          .drop([id])
          .catch(() => options.doubt())
      throw error
    }
  }

  const fromJournal = async (id: string, current: Lease): Promise<Seat> => {
    const loaded = await journal.load(id)
    if (loaded === null) {
      await current.drop([id])
      throw new ColloquyError('CONVERSATION_UNKNOWN', `There is no conversation "${id}"`)
    }
    const { length, questions, warnings, snapshot } = loaded
    for (const text of warnings) observer?.happened?.({ type: 'warning', conversation: id, text })
    let talk = takingUp.fromLoaded(loaded)
    let past: readonly ConversationEvent[] = []
    if (!talk.isClosed && isAskedHere(talk.members, options.asking)) {
      // Who is asked sees what was said.
      const whole = await takingUp.fromRecord(id)
      if (whole !== null) ({ talk, past } = whole)
    }
    // Nobody is asked under a lease that has ended: the next one asks.
    if (lease().id !== current.id)
      throw new ColloquyError('LEASE_LOST', `The lease "${current.id}" has ended`)
    // What is closed is only looked at, or refuses what comes.
    if (!talk.isClosed)
      observer?.happened?.({ type: 'resumed', conversation: id, protocol: talk.protocol.name })
    // An event that changed nothing would shift all that follow.
    if (talk.seq !== length - 1)
      throw new ColloquyError('RECORD_INVALID', `The record of "${id}" has an event that changed nothing`)
    const room = roomFor({ talk, length, snapshotAt: snapshot?.seq ?? -1, questions }, current)
    return seated(room, past, questions)
  }

  /** Puts a conversation that is being taken up in its place. */
  const place = (id: string, seating: Promise<Seat>): Promise<Seat> => {
    seats.set(id, seating)
    seating.then(
      (seat) => {
        if (seats.get(id) !== seating) {
          // Given up meanwhile, such as with its lease.
          seat.room.leave()
          void seat.asked?.stop()
          return
        }
        ready.set(id, seat)
        followers.again(id)
        if (!isClosed) due.set(id, seat.room.talk.dueAt)
        if (seats.size > options.resident) makeRoom()
      },
      () => {
        if (seats.get(id) === seating) seats.delete(id)
      },
    )
    return seating
  }

  const get = (id: string): Promise<Seat> => {
    const seat = ready.get(id)
    if (seat !== undefined) {
      ready.delete(id)
      ready.set(id, seat)
    }
    return seats.get(id) ?? place(id, takeUp(id))
  }

  const wants = (id: string, more: 1 | -1): void => {
    const count = (wanted.get(id) ?? 0) + more
    if (count === 0) wanted.delete(id)
    else wanted.set(id, count)
  }

  const use = async <Result>(id: string, act: (seat: Seat) => Result | Promise<Result>): Promise<Result> => {
    for (;;) {
      wants(id, 1)
      let seat: Seat
      try {
        seat = await get(id)
      } finally {
        wants(id, -1)
      }
      // It may have been given up in the moment between: what it decided then would never be kept.
      if (!seat.room.hasLeft) return act(seat)
    }
  }

  /** Takes conversations out of memory, as far as they are there. */
  const remove = (id: string): Seat | undefined => {
    const seat = ready.get(id)
    seats.delete(id)
    ready.delete(id)
    due.set(id, null)
    seat?.room.leave()
    return seat
  }

  /** What needs nobody now is left to whoever needs it next. */
  const giveBack = (ids: readonly string[]): void => {
    for (const id of ids) void remove(id)?.asked?.stop()
    const dropped = lease()
      .drop(ids)
      .catch((error) => observer?.happened?.({ type: 'failed', conversation: null, error }))
      .then(() => {
        for (const id of ids) if (leaving.get(id) === dropped) leaving.delete(id)
      })
    for (const id of ids) leaving.set(id, dropped)
  }

  const isDueSoon = ({ dueAt }: Conversation): boolean =>
    dueAt !== null && dueAt <= clock.now() + options.soon

  const isIdle = (id: string, { room, asked: asking }: Seat): boolean =>
    !isDueSoon(room.talk) &&
    !wanted.has(id) &&
    room.waiting === 0 &&
    !room.isBehind &&
    (asking === null || asking.isWaiting) &&
    !followers.has(id)

  /** Gives back those that were used least lately, so that there is room for some time. */
  const makeRoom = (): void => {
    const excess = seats.size - Math.floor(options.resident * 0.9)
    const idle: string[] = []
    for (const [id, seat] of ready) {
      if (idle.length >= Math.min(excess, BATCH)) break
      if (isIdle(id, seat)) idle.push(id)
    }
    if (idle.length > 0) giveBack(idle)
  }

  const spoilt = (room: Room, error: unknown): void => {
    const { id } = room.talk
    // Everybody who waited hears of it; meanwhile it may have been taken up again.
    if (!room.isSpoilt || ready.get(id)?.room !== room) return
    void remove(id)?.asked?.stop()
    failed(id, error)
    // What could not be told to them is read again, by whoever holds it then.
    followers.again(id)
  }

  const failed = (id: string, error: unknown): void => {
    // Others hold it, or it is not there: nothing is lost by leaving it alone.
    if (error instanceof ColloquyError && ELSEWHERE.includes(error.code)) return
    // What stays wrong is told once, however often it is looked at.
    if (isLasting(error) && wrong.has(id)) return
    if (isLasting(error)) wrong.add(id)
    observer?.happened?.({ type: 'failed', conversation: id, error })
    lookAgain(id, error)
  }

  /** Whatever failed may have left it taken, or even have opened it. */
  const lookAgain = (id: string, error: unknown): void => {
    if (isPassing(error) && !isClosed) retries.set(id, clock.now() + RETRY_AFTER)
  }

  return {
    get,
    use,
    resident: (id) => seats.get(id),
    open(talk) {
      const { id } = talk
      const opening = async (): Promise<Seat> => {
        const current = await take(id)
        const opened = talk.events()
        const room = roomFor({ talk, length: 0, snapshotAt: -1, questions: [] }, current)
        await room.settle()
        talk.forget()
        return seated(room, opened, [])
      }
      const seating = place(id, opening())
      seating.catch((error) => lookAgain(id, error))
      return seating
    },
    spoilt,
    failed,
    async stopAsking() {
      await Promise.all([...ready.values()].map(({ asked: asking }) => asking?.stop()))
    },
    clear() {
      for (const id of [...seats.keys()]) {
        void remove(id)?.asked?.stop()
        followers.again(id)
      }
    },
    abandon() {
      isClosed = true
      due.stop()
      retries.stop()
      for (const id of [...seats.keys()]) void remove(id)?.asked?.stop()
    },
    async close() {
      isClosed = true
      due.stop()
      retries.stop()
      await Promise.allSettled(seats.values())
      await Promise.all([...ready.values()].map(({ asked: asking }) => asking?.stop()))
      await Promise.allSettled([...ready.values()].map(({ room }) => room.settle()))
      // Those whose members are asked are left to the next host to ask on.
      const needNobody = [...ready].flatMap(([id, seat]) => (seat.asked === null ? [id] : []))
      for (let at = 0; at < needNobody.length; at += BATCH)
        await lease()
          .drop(needNobody.slice(at, at + BATCH))
          .catch(() => {})
      for (const { room } of ready.values()) room.leave()
      seats.clear()
      ready.clear()
    },
  }
}
