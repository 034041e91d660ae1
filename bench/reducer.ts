/**
 * The conversation protocol as a hand-written immutable reducer: one switch over state and intent, no library and
 * nothing from `src`. The benchmark's rival, and a second opinion on the engine's decisions.
 *
 * Updates copy. What is copied at each event is copied by a literal that names every field (`fork`, `given`, …):
 * V8 makes that in a few nanoseconds, where `{ ...state, turns }` takes some hundred.
 *
 * `reduce` is steps 4 to 10 of a message and every other event; `admit` puts the schema, duplicates and ids before
 * it; `replay` reads a whole record. Ids are opaque: they are only compared, or keys of a Map or Set.
 */

// ---------------------------------------------------------------------------------------------------------- types

const OPEN_PHASES = ['discussion', 'proposal', 'assign', 'execution', 'review'] as const

export type OpenPhase = (typeof OPEN_PHASES)[number]
export type Phase = OpenPhase | 'closed'
export type Cause = 'turns' | 'deadline' | 'idle' | 'tokens' | 'max_turns'
export type Status = 'accepted' | 'rejects_exhausted' | 'timeout' | 'abandoned' | 'cancelled'
export type ResultStatus = 'success' | 'partial' | 'failed'
export type Warning = 'adopted_without_quorum' | 'partial' | 'rejects_exhausted' | 'unreviewed'

export type Policy = {
  readonly agreeRatio: number | string
  readonly leadDecides: boolean
  readonly assigners: 'any' | 'lead'
  readonly reviewers: 'independent' | 'any' | 'lead'
  readonly reviewQuorum: number
  readonly maxReject: number
  readonly turnUnit: 'round' | 'message'
  readonly turnLimit: Readonly<Record<OpenPhase, number | null>>
  readonly deadline: Readonly<Record<OpenPhase, number | null>>
  readonly idle: Readonly<Record<OpenPhase, number | null>>
  readonly maxTurns: number | null
  readonly tokenBudget: number | null
  readonly minMembers: number
  readonly onLimit: { readonly proposal: 'adopt' | 'close'; readonly execution: 'review' | 'close' }
  readonly violationLimit: number | null
  readonly talk: readonly OpenPhase[]
}

export type MessageEvent = {
  readonly type: string
  readonly at: number
  readonly id: string
  readonly from: string
  readonly content: string
  readonly payload: Readonly<Record<string, unknown>>
  readonly replyTo: string | null
  readonly tokens: number
}

export type ControlEvent =
  | { readonly type: 'join' | 'leave' | 'fault'; readonly at: number; readonly member: string }
  | { readonly type: 'deadline' | 'cancel'; readonly at: number }

export type Transition = { readonly from: Phase; readonly to: Phase; readonly reason: string }

export type Decision = {
  readonly effect: 'applied' | 'recorded' | 'ignored' | 'rejected'
  readonly reason: string
  readonly from: Phase
  readonly to: Phase
  readonly transitions: readonly Transition[]
  readonly expelled?: string
}

export type Step = { readonly state: State; readonly decision: Decision }

/** `missed`: the states, as bits, that were left since its last message or its joining. */
type Member = {
  readonly id: string
  readonly turns: number
  readonly violations: number
  readonly missed: number
}

type Proposal = {
  readonly id: string
  readonly author: string
  readonly subtasks: readonly { readonly id: string; readonly title: string | null }[]
  readonly agrees: readonly string[]
  readonly objections: readonly string[]
}

/** `status` null: pending. `byLimit`: the limit reported, not the owner. Owned, offered and free exclude each other. */
type Subtask = {
  readonly id: string
  readonly title: string | null
  readonly owner: string | null
  readonly offered: string | null
  readonly status: ResultStatus | null
  readonly byLimit: boolean
  readonly attempts: number
}

type Verdict = { readonly member: string; readonly pass: boolean; readonly subtasks: readonly string[] }

type End = { readonly state: OpenPhase; readonly status: Status; readonly cause: Cause | null }

/** What never changes: the policy, and what is worked out from it once. */
type Rules = {
  readonly policy: Policy
  readonly round: boolean
  readonly talk: number
  /** `turnLimit`, with Infinity for none. */
  readonly limits: Readonly<Record<Phase, number>>
  readonly need: (active: number, voters: number) => number
}

export type State = {
  readonly rules: Rules
  readonly phase: Phase
  /** The active members in joining order. */
  readonly members: readonly Member[]
  /** Those who left in this visit: what they spent still counts should they come back. */
  readonly away: readonly Member[]
  readonly expelled: readonly string[]
  readonly lead: string | null
  readonly entered: number
  readonly lastTurn: number
  /** Turns of this visit, whoever took them. */
  readonly visitTurns: number
  /** Each member's further turns in this visit, for the subtasks there were on entering. */
  readonly work: number
  readonly turns: number
  readonly tokens: number
  readonly proposals: readonly Proposal[]
  readonly adopted: { readonly id: string; readonly author: string } | null
  readonly subtasks: readonly Subtask[]
  /** Only for `reviewers: "independent"`. */
  readonly reviewers: readonly string[]
  readonly verdicts: readonly Verdict[]
  readonly rejections: number
  readonly warnings: readonly Warning[]
  readonly end: End | null
}

export type Outcome = {
  readonly status: Status
  readonly state: OpenPhase
  readonly cause?: Cause
  readonly proposal: string | null
  readonly subtasks: readonly {
    readonly id: string
    readonly owner: string | null
    readonly status: ResultStatus | null
    readonly attempts: number
  }[]
  readonly rejections: number
  readonly turns: number
  readonly warnings: readonly Warning[]
}

// --------------------------------------------------------------------------------------------------------- opening

const NEVER = Number.POSITIVE_INFINITY

const BIT = { discussion: 1, proposal: 2, assign: 4, execution: 8, review: 16, closed: 0 } as const

/** How many agreements carry a proposal, by the number of active members and of voters. */
function needed(ratio: number | string): Rules['need'] {
  if (typeof ratio === 'number') return (_active, voters) => atLeast(ratio, voters)
  const slash = ratio.indexOf('/')
  if (slash < 0) return (active, voters) => atLeast(active <= 3 ? 0.5 : active <= 6 ? 0.6 : 0.7, voters)
  const p = BigInt(ratio.slice(0, slash))
  const q = BigInt(ratio.slice(slash + 1))
  return (_active, voters) => Math.max(1, Number((p * BigInt(voters) + q - 1n) / q))
}

function atLeast(ratio: number, voters: number): number {
  return Math.max(1, Math.ceil(ratio * voters - 1e-9))
}

export function open(input: {
  readonly members: readonly string[]
  readonly lead: string | null
  readonly policy: Policy
  readonly at: number
}): State {
  const { policy, at } = input
  const { turnLimit } = policy
  return {
    rules: {
      policy,
      round: policy.turnUnit === 'round',
      talk: policy.talk.reduce((mask, phase) => mask | BIT[phase], 0),
      limits: {
        discussion: turnLimit.discussion ?? NEVER,
        proposal: turnLimit.proposal ?? NEVER,
        assign: turnLimit.assign ?? NEVER,
        execution: turnLimit.execution ?? NEVER,
        review: turnLimit.review ?? NEVER,
        closed: NEVER,
      },
      need: needed(policy.agreeRatio),
    },
    phase: 'discussion',
    members: input.members.map((id) => ({ id, turns: 0, violations: 0, missed: 0 })),
    away: [],
    expelled: [],
    lead: input.lead,
    entered: at,
    lastTurn: at,
    visitTurns: 0,
    work: 0,
    turns: 0,
    tokens: 0,
    proposals: [],
    adopted: null,
    subtasks: [],
    reviewers: [],
    verdicts: [],
    rejections: 0,
    warnings: [],
    end: null,
  }
}

// --------------------------------------------------------------------------------------------------------- reducer

export function reduce(state: State, event: MessageEvent | ControlEvent): Step {
  if (state.phase === 'closed') return ignored(state, 'closed')
  switch (event.type) {
    case 'join':
    case 'leave':
    case 'fault':
    case 'deadline':
    case 'cancel':
      return control(state, event as ControlEvent)
    default:
      return message(state, event as MessageEvent)
  }
}

function message(state: State, event: MessageEvent): Step {
  const index = indexOf(state.members, event.from)
  const member = state.members[index]
  if (member === undefined) return ignored(state, 'not_member')

  const { rules } = state
  const tokens = state.tokens + event.tokens
  const admitting = admits(event.type, rules.talk)
  if ((admitting & BIT[state.phase]) === 0) {
    if ((admitting & member.missed) === 0)
      return violation(state, tokens, index, 'intent_not_allowed', event.at)
    const heard = fork(state)
    heard.tokens = tokens
    heard.members = charged(state.members, index, 0, 0, 0)
    return decided(state, heard, 'recorded', 'late', event.at, [])
  }
  const light = event.type === 'question' || event.type === 'info' || event.type === 'progress'
  if (rules.round && member.turns >= rules.limits[state.phase] + (light ? 0 : state.work)) {
    return violation(state, tokens, index, 'turns_spent', event.at)
  }

  const log: Transition[] = []
  const spoken = fork(state)
  spoken.tokens = tokens
  spoken.turns += 1
  spoken.visitTurns += 1
  spoken.lastTurn = event.at
  spoken.members = charged(state.members, index, 1, 0, 0)
  const next = act(spoken, event, log)
  if (next === 'not_permitted') return violation(state, tokens, index, next, event.at)
  if (typeof next === 'string') return decided(state, spoken, 'recorded', next, event.at, log)
  return decided(state, next, 'applied', 'continue', event.at, log)
}

/** The states that admit an intent, as bits. */
function admits(intent: string, talk: number): number {
  switch (intent) {
    case 'question':
    case 'info':
      return talk
    case 'proposal':
      return BIT.discussion | BIT.proposal
    case 'agree':
      return BIT.proposal
    case 'object':
      return BIT.proposal | BIT.assign | BIT.execution
    case 'assign':
    case 'accept':
      return BIT.assign | BIT.execution
    case 'progress':
    case 'result':
      return BIT.execution
    case 'verdict':
    case 'reject':
      return BIT.review
    default:
      return 0
  }
}

type Refusal = 'not_permitted' | 'ambiguous' | 'taken'

/** What an admitted message does, or why it may not. What the switch does not name is talk. */
function act(state: State, event: MessageEvent, log: Transition[]): State | Refusal {
  switch (state.phase) {
    case 'discussion':
      switch (event.type) {
        case 'proposal':
          return enter(raise(state, event), 'proposal', 'proposal_raised', event.at, log)
        default:
          return state
      }
    case 'proposal':
      switch (event.type) {
        case 'proposal':
          return raise(state, event)
        case 'agree':
          return vote(state, event, true, log)
        case 'object':
          return vote(state, event, false, log)
        default:
          return state
      }
    case 'assign':
      switch (event.type) {
        case 'assign':
          return assign(state, event)
        case 'accept':
          return accept(state, event)
        case 'object':
          return giveBack(state, event)
        default:
          return state
      }
    case 'execution':
      switch (event.type) {
        case 'assign':
          return assign(state, event)
        case 'accept':
          return accept(state, event)
        case 'object':
          return giveBack(state, event)
        case 'progress':
          return progress(state, event)
        case 'result':
          return result(state, event)
        default:
          return state
      }
    case 'review':
      switch (event.type) {
        case 'verdict':
          return review(state, event, event.payload.verdict !== 'reject')
        case 'reject':
          return review(state, event, false)
        default:
          return state
      }
    case 'closed':
      return state
  }
}

// --------------------------------------------------------------------------------------------------------- effects

function raise(state: State, event: MessageEvent): State {
  const listed = Array.isArray(event.payload.subtasks) ? event.payload.subtasks : []
  const subtasks = listed.map((item: { id?: string; title?: string }, position) => ({
    id: item.id ?? `t${position + 1}`,
    title: item.title ?? null,
  }))
  const proposal: Proposal = { id: event.id, author: event.from, subtasks, agrees: [], objections: [] }
  const next = fork(state)
  next.proposals = [...state.proposals, proposal]
  return next
}

function vote(state: State, event: MessageEvent, agrees: boolean, log: Transition[]): State | Refusal {
  const { proposals } = state
  if (event.replyTo === null && proposals.length > 1) return 'ambiguous'
  const index = event.replyTo === null ? 0 : indexOf(proposals, event.replyTo)
  const proposal = proposals[index]
  if (proposal === undefined) return 'not_permitted'
  const voter = event.from

  if (
    agrees &&
    event.payload.decisive === true &&
    voter === state.lead &&
    state.rules.policy.leadDecides === true
  ) {
    return adopt(state, proposal, 'lead_decision', event.at, log)
  }
  if (voter === proposal.author) return state
  const side = agrees ? proposal.agrees : proposal.objections
  if (side.includes(voter)) return state
  const next = fork(state)
  next.proposals = replaced(
    proposals,
    index,
    agrees
      ? voted(proposal, [...side, voter], without(proposal.objections, voter))
      : voted(proposal, without(proposal.agrees, voter), [...side, voter]),
  )
  return next
}

function assign(state: State, event: MessageEvent): State | Refusal {
  const id = event.payload.subtask as string
  const to = event.payload.owner as string
  if (indexOf(state.members, to) < 0) return 'not_permitted'
  const own = to === event.from

  const index = indexOf(state.subtasks, id)
  const subtask = state.subtasks[index]
  if (subtask === undefined) {
    if (event.from !== chair(state)) return 'not_permitted'
    const title = typeof event.payload.title === 'string' ? event.payload.title : null
    const added = given(pending(id, title), own ? to : null, own ? null : to)
    return withSubtasks(state, [...state.subtasks, added])
  }
  if (subtask.status !== null) return 'not_permitted'
  if (subtask.owner === null) {
    if (state.rules.policy.assigners === 'lead' && event.from !== state.lead) return 'not_permitted'
  } else {
    if (event.from !== subtask.owner && event.from !== chair(state)) return 'not_permitted'
    if (subtask.owner === to) return state
  }
  const passed = given(subtask, own ? to : null, own ? null : to)
  return withSubtasks(state, replaced(state.subtasks, index, passed))
}

function accept(state: State, event: MessageEvent): State | Refusal {
  const { subtasks } = state
  const me = event.from
  const claimable = state.rules.policy.assigners === 'any'

  const id = event.payload.subtask
  if (typeof id === 'string') {
    const index = indexOf(subtasks, id)
    const subtask = subtasks[index]
    if (subtask === undefined || subtask.status !== null) return 'not_permitted'
    if (subtask.owner === me) return state
    if (subtask.owner !== null) return 'taken'
    if (subtask.offered === null && !claimable) return 'not_permitted'
    if (subtask.offered !== null && subtask.offered !== me) return 'taken'
    return withSubtasks(state, replaced(subtasks, index, given(subtask, me, null)))
  }

  let offered = false
  let strange = false
  let free = -1
  for (let index = 0; index < subtasks.length; index += 1) {
    const subtask = subtasks[index]!
    if (subtask.status !== null) continue
    if (subtask.offered === me) offered = true
    if (subtask.owner !== me) strange = true
    if (free < 0 && subtask.owner === null && subtask.offered === null) free = index
  }
  if (offered) {
    return withSubtasks(
      state,
      subtasks.map((subtask) => (subtask.offered === me ? given(subtask, me, null) : subtask)),
    )
  }
  if (claimable && free >= 0) {
    return withSubtasks(state, replaced(subtasks, free, given(subtasks[free]!, me, null)))
  }
  if (claimable && subtasks.length === 0) {
    return withSubtasks(state, [given(pending('task', null), me, null)])
  }
  return strange ? 'taken' : 'not_permitted'
}

function giveBack(state: State, event: MessageEvent): State | Refusal {
  const id = event.payload.subtask
  return typeof id === 'string'
    ? freed(state, event.from, id, 'not_permitted')
    : freed(state, event.from, null, 'not_permitted')
}

/** Frees the pending subtasks (or the one named) that a member owns or was offered; `otherwise` if there is none. */
function freed<T>(state: State, member: string, id: string | null, otherwise: T): State | T {
  const held = (subtask: Subtask): boolean =>
    subtask.status === null &&
    (subtask.owner === member || subtask.offered === member) &&
    (id === null || subtask.id === id)
  if (!state.subtasks.some(held)) return otherwise
  return withSubtasks(
    state,
    state.subtasks.map((subtask) => (held(subtask) ? given(subtask, null, null) : subtask)),
  )
}

function progress(state: State, event: MessageEvent): State | Refusal {
  const id = event.payload.subtask
  const owns = state.subtasks.some(
    (subtask) => subtask.owner === event.from && (typeof id !== 'string' || subtask.id === id),
  )
  return owns ? state : 'not_permitted'
}

function result(state: State, event: MessageEvent): State | Refusal {
  const id = event.payload.subtask
  const status = (event.payload.status as ResultStatus | undefined) ?? 'success'
  const meant = (subtask: Subtask): boolean =>
    subtask.owner === event.from && (typeof id === 'string' ? subtask.id === id : subtask.status === null)
  if (!state.subtasks.some(meant)) return 'not_permitted'
  return withSubtasks(
    state,
    state.subtasks.map((subtask) => (meant(subtask) ? reported(subtask, status, false) : subtask)),
  )
}

function review(state: State, event: MessageEvent, pass: boolean): State | Refusal {
  if (!isReviewer(state, event.from)) return 'not_permitted'
  const named = event.payload.subtasks
  const subtasks = !pass && Array.isArray(named) ? (named as string[]) : []
  if (subtasks.some((id) => indexOf(state.subtasks, id) < 0)) return 'not_permitted'
  const others = state.verdicts.filter((verdict) => verdict.member !== event.from)
  const next = fork(state)
  next.verdicts = [...others, { member: event.from, pass, subtasks }]
  return next
}

function isReviewer(state: State, member: string): boolean {
  switch (state.rules.policy.reviewers) {
    case 'any':
      return true
    case 'lead':
      return member === state.lead
    case 'independent':
      return state.reviewers.includes(member)
  }
}

function reviewerCount(state: State): number {
  switch (state.rules.policy.reviewers) {
    case 'any':
      return state.members.length
    case 'lead':
      return 1
    case 'independent':
      return state.reviewers.length
  }
}

function chair(state: State): string | null {
  if (state.lead !== null) return state.lead
  const { adopted } = state
  if (adopted !== null && indexOf(state.members, adopted.author) >= 0) return adopted.author
  return state.members[0]?.id ?? null
}

// ------------------------------------------------------------------------------------------------ members and time

function control(state: State, event: ControlEvent): Step {
  const { at } = event
  switch (event.type) {
    case 'join': {
      if (indexOf(state.members, event.member) >= 0) return ignored(state, 'already_member')
      if (state.expelled.includes(event.member)) return ignored(state, 'expelled')
      const before = state.away[indexOf(state.away, event.member)]
      const joined: Member = {
        id: event.member,
        turns: before?.turns ?? 0,
        violations: before?.violations ?? 0,
        missed: 0,
      }
      const next = fork(state)
      next.members = [...state.members, joined]
      if (before !== undefined) next.away = state.away.filter((member) => member !== before)
      return decided(state, next, 'applied', 'joined', at, [])
    }
    case 'leave': {
      const index = indexOf(state.members, event.member)
      if (index < 0) return ignored(state, 'not_member')
      return decided(state, removed(state, index), 'applied', 'left', at, [])
    }
    case 'fault': {
      const index = indexOf(state.members, event.member)
      const member = state.members[index]
      if (member === undefined) return ignored(state, 'not_member')
      if (state.rules.round && member.turns >= state.rules.limits[state.phase] + state.work) {
        return violation(state, state.tokens, index, 'fault', at)
      }
      const failed = fork(state)
      failed.turns += 1
      failed.visitTurns += 1
      failed.lastTurn = at
      failed.members = charged(state.members, index, 1, 0, member.missed)
      return violation(failed, state.tokens, index, 'fault', at)
    }
    case 'deadline': {
      const phase = state.phase as OpenPhase
      const { deadline, idle } = state.rules.policy
      const log: Transition[] = []
      if (at >= state.entered + (deadline[phase] ?? NEVER)) {
        return decided(state, atLimit(state, 'deadline', at, log), 'applied', 'continue', at, log)
      }
      if (at >= state.lastTurn + (idle[phase] ?? NEVER)) {
        return decided(state, atLimit(state, 'idle', at, log), 'applied', 'continue', at, log)
      }
      return ignored(state, 'not_due')
    }
    case 'cancel': {
      const log: Transition[] = []
      return decided(state, close(state, 'cancelled', null, log), 'applied', 'continue', at, log)
    }
  }
}

/** The member at an index leaves: its votes, its verdict, its pending work, its lead and its review go. */
function removed(state: State, index: number): State {
  const leaver = state.members[index]!
  const { id } = leaver
  const members = state.members.filter((member) => member !== leaver)
  let reviewers = state.reviewers
  if (reviewers.includes(id)) {
    reviewers = without(reviewers, id)
    if (reviewers.length === 0) reviewers = members.map((member) => member.id)
  }
  const left = fork(state)
  left.members = members
  left.away = [...state.away, leaver]
  if (state.lead === id) left.lead = members[0]?.id ?? null
  left.proposals = state.proposals.map((proposal) =>
    voted(proposal, without(proposal.agrees, id), without(proposal.objections, id)),
  )
  left.reviewers = reviewers
  left.verdicts = state.verdicts.filter((verdict) => verdict.member !== id)
  return freed(left, id, null, left)
}

// ----------------------------------------------------------------------------------------------- after every event

/** Records a violation of the member at an index, which may cost its seat. */
function violation(state: State, tokens: number, index: number, reason: string, at: number): Step {
  const member = state.members[index]!
  const violations = member.violations + 1
  // A fault is no message: it leaves `missed` alone.
  const missed = reason === 'fault' ? member.missed : 0
  const next = fork(state)
  next.tokens = tokens
  next.members = charged(state.members, index, 0, 1, missed)
  if (violations < (state.rules.policy.violationLimit ?? NEVER)) {
    return decided(state, next, 'recorded', reason, at, [])
  }
  const left = removed(next, index)
  const barred = fork(left)
  barred.expelled = [...left.expelled, member.id]
  return decided(state, barred, 'recorded', reason, at, [], member.id)
}

/** Takes whatever follows from an event and words the decision. `log` holds the transitions that it made itself. */
function decided(
  before: State,
  after: State,
  effect: Decision['effect'],
  reason: string,
  at: number,
  log: Transition[],
  expelled?: string,
): Step {
  let state = after
  for (;;) {
    const next = advance(state, at, log)
    if (next === state) break
    state = next
  }
  const last = log[log.length - 1]
  const decision: Decision = {
    effect,
    reason: effect === 'applied' && last !== undefined ? last.reason : reason,
    from: before.phase,
    to: state.phase,
    transitions: log,
  }
  return { state, decision: expelled === undefined ? decision : { ...decision, expelled } }
}

function ignored(state: State, reason: string): Step {
  return {
    state,
    decision: { effect: 'ignored', reason, from: state.phase, to: state.phase, transitions: [] },
  }
}

/** The first that holds; the same state when nothing does. */
function advance(state: State, at: number, log: Transition[]): State {
  if (state.phase === 'closed') return state
  const { rules, members, subtasks } = state
  const { policy } = rules
  if (members.length < policy.minMembers) return close(state, 'abandoned', null, log)

  switch (state.phase) {
    case 'discussion':
      break
    case 'proposal':
      for (const proposal of state.proposals) {
        if (isCarried(state, proposal)) return adopt(state, proposal, 'consensus', at, log)
      }
      break
    case 'assign':
      if (subtasks.length > 0 && subtasks.every((subtask) => subtask.owner !== null)) {
        return enter(state, 'execution', 'all_assigned', at, log)
      }
      break
    case 'execution':
      if (subtasks.every((subtask) => subtask.status !== null)) {
        return enter(state, 'review', 'all_reported', at, log)
      }
      break
    case 'review': {
      const quorum = Math.min(policy.reviewQuorum, reviewerCount(state))
      let passes = 0
      for (const verdict of state.verdicts) if (verdict.pass) passes += 1
      if (passes >= quorum) return close(state, 'accepted', null, log)
      if (state.verdicts.length - passes >= quorum) return rejected(state, at, log)
      break
    }
  }

  if (state.tokens >= (policy.tokenBudget ?? NEVER) && state.phase !== 'review') {
    return close(state, 'timeout', 'tokens', log)
  }
  if (state.turns >= (policy.maxTurns ?? NEVER)) {
    return close(state, 'timeout', 'max_turns', log)
  }
  const limit = rules.limits[state.phase]
  const spent = rules.round
    ? members.every((member) => member.turns >= limit + state.work)
    : state.visitTurns >= limit
  return spent ? atLimit(state, 'turns', at, log) : state
}

function isCarried(state: State, proposal: Proposal): boolean {
  const active = state.members.length
  const voters = indexOf(state.members, proposal.author) < 0 ? active : active - 1
  if (voters === 0) return true
  const agrees = proposal.agrees.length
  return agrees > 0 && agrees >= proposal.objections.length && agrees >= state.rules.need(active, voters)
}

/** Starts a visit. */
function enter(state: State, to: OpenPhase, reason: string, at: number, log: Transition[]): State {
  log.push({ from: state.phase, to, reason })
  const left = BIT[state.phase]
  const next = fork(state)
  next.phase = to
  next.entered = at
  next.lastTurn = at
  next.visitTurns = 0
  next.work = to === 'assign' || to === 'execution' ? 2 * state.subtasks.length : 0
  next.members = state.members.map(({ id, missed }) => ({
    id,
    turns: 0,
    violations: 0,
    missed: missed | left,
  }))
  next.away = NOTHING
  next.reviewers =
    to === 'review' && state.rules.policy.reviewers === 'independent' ? independent(state) : NOTHING
  next.verdicts = NOTHING
  return next
}

function independent(state: State): readonly string[] {
  const owners = new Set(state.subtasks.map((subtask) => subtask.owner))
  const all = state.members.map((member) => member.id)
  const others = all.filter((id) => !owners.has(id))
  return others.length > 0 ? others : all
}

function adopt(state: State, proposal: Proposal, reason: string, at: number, log: Transition[]): State {
  const next = fork(state)
  next.proposals = NOTHING
  next.adopted = { id: proposal.id, author: proposal.author }
  next.subtasks = proposal.subtasks.map(({ id, title }) => pending(id, title))
  return enter(next, 'assign', reason, at, log)
}

/** Enough reviewers reject. */
function rejected(state: State, at: number, log: Transition[]): State {
  const rejections = state.rejections + 1
  if (rejections > state.rules.policy.maxReject) {
    const exhausted = fork(state)
    exhausted.rejections = rejections
    return close(exhausted, 'rejects_exhausted', null, log)
  }
  const rejecting = state.verdicts.filter((verdict) => !verdict.pass)
  const named = rejecting.some((verdict) => verdict.subtasks.length === 0)
    ? null
    : new Set(rejecting.flatMap((verdict) => verdict.subtasks))
  const subtasks = state.subtasks.map((subtask) => {
    const { id, title, owner, attempts } = subtask
    if (named !== null && !named.has(id)) return subtask
    const keeps = !subtask.byLimit && owner !== null && indexOf(state.members, owner) >= 0
    return { ...pending(id, title), owner: keeps ? owner : null, attempts }
  })
  const next = fork(state)
  next.rejections = rejections
  next.subtasks = subtasks
  return enter(next, 'execution', 'rework', at, log)
}

/** A state's turn limit, deadline or idle time has come. */
function atLimit(state: State, cause: Cause, at: number, log: Transition[]): State {
  const { onLimit } = state.rules.policy
  if (state.phase === 'proposal' && onLimit.proposal === 'adopt') {
    let best: Proposal | undefined
    for (const proposal of state.proposals) {
      const agrees = proposal.agrees.length
      if (agrees === 0 || agrees < proposal.objections.length) continue
      if (best === undefined || agrees > best.agrees.length) best = proposal
    }
    if (best !== undefined) {
      return adopt(warned(state, 'adopted_without_quorum'), best, 'adopted', at, log)
    }
  }
  if (state.phase === 'execution' && onLimit.execution === 'review') {
    const subtasks = state.subtasks.map(
      (subtask): Subtask => (subtask.status !== null ? subtask : reported(subtask, 'failed', true)),
    )
    return enter(warned(withSubtasks(state, subtasks), 'partial'), 'review', 'partial', at, log)
  }
  return close(state, 'timeout', cause, log)
}

function close(state: State, status: Status, cause: Cause | null, log: Transition[]): State {
  const phase = state.phase as OpenPhase
  log.push({ from: phase, to: 'closed', reason: status })
  const closed = fork(state)
  closed.phase = 'closed'
  closed.end = { state: phase, status, cause }
  if (status === 'rejects_exhausted') return warned(closed, 'rejects_exhausted')
  if (phase === 'review' && status !== 'accepted') return warned(closed, 'unreviewed')
  return closed
}

function warned(state: State, warning: Warning): State {
  if (state.warnings.includes(warning)) return state
  const next = fork(state)
  next.warnings = [...state.warnings, warning]
  return next
}

/** How it ended; null while it is open. */
export function outcome(state: State): Outcome | null {
  const { end } = state
  if (end === null) return null
  return {
    status: end.status,
    state: end.state,
    ...(end.cause === null ? {} : { cause: end.cause }),
    proposal: state.adopted?.id ?? null,
    subtasks: state.subtasks.map(({ id, owner, status, attempts }) => ({ id, owner, status, attempts })),
    rejections: state.rejections,
    turns: state.turns,
    warnings: state.warnings,
  }
}

// --------------------------------------------------------------------------------------------------------- helpers

const NOTHING: readonly never[] = []

type Draft = { -readonly [Field in keyof State]: State[Field] }

/**
 * Whether the state is copied by spread, as most would write it. Asked for by `reducer.js?copy=spread`, which is a module of
 * its own, so that both can be measured in one run.
 */
const BY_SPREAD = new URL(import.meta.url).searchParams.get('copy') === 'spread'

/** A copy to change before anyone else sees it. */
function fork(state: State): Draft {
  if (BY_SPREAD) return { ...state }
  return {
    rules: state.rules,
    phase: state.phase,
    members: state.members,
    away: state.away,
    expelled: state.expelled,
    lead: state.lead,
    entered: state.entered,
    lastTurn: state.lastTurn,
    visitTurns: state.visitTurns,
    work: state.work,
    turns: state.turns,
    tokens: state.tokens,
    proposals: state.proposals,
    adopted: state.adopted,
    subtasks: state.subtasks,
    reviewers: state.reviewers,
    verdicts: state.verdicts,
    rejections: state.rejections,
    warnings: state.warnings,
    end: state.end,
  }
}

function charged(
  members: readonly Member[],
  index: number,
  turns: number,
  violations: number,
  missed: number,
): readonly Member[] {
  const member = members[index]!
  return replaced(members, index, {
    id: member.id,
    turns: member.turns + turns,
    violations: member.violations + violations,
    missed,
  })
}

function voted(
  { id, author, subtasks }: Proposal,
  agrees: readonly string[],
  objections: readonly string[],
): Proposal {
  return { id, author, subtasks, agrees, objections }
}

function withSubtasks(state: State, subtasks: readonly Subtask[]): State {
  const next = fork(state)
  next.subtasks = subtasks
  return next
}

function pending(id: string, title: string | null): Subtask {
  return { id, title, owner: null, offered: null, status: null, byLimit: false, attempts: 0 }
}

function given(subtask: Subtask, owner: string | null, offered: string | null): Subtask {
  const { id, title, status, byLimit, attempts } = subtask
  return { id, title, owner, offered, status, byLimit, attempts }
}

function reported(subtask: Subtask, status: ResultStatus, byLimit: boolean): Subtask {
  const { id, title, owner } = subtask
  const attempts = subtask.status === null ? subtask.attempts + 1 : subtask.attempts
  return { id, title, owner, offered: null, status, byLimit, attempts }
}

function indexOf(list: readonly { readonly id: string }[], id: string): number {
  for (let index = 0; index < list.length; index += 1) if (list[index]!.id === id) return index
  return -1
}

function replaced<T>(list: readonly T[], index: number, item: T): readonly T[] {
  const copy = list.slice()
  copy[index] = item
  return copy
}

function without(list: readonly string[], item: string): readonly string[] {
  return list.includes(item) ? list.filter((other) => other !== item) : list
}

// ---------------------------------------------------------------------------------------------------------- policy

export type FieldIssue = { readonly field: string; readonly reason: string }

type Fields = Readonly<Record<string, unknown>>

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 1
const isCountOrNull = (value: unknown): value is number | null => value === null || isCount(value)
const isOneOf =
  <T extends string>(...words: readonly T[]) =>
  (value: unknown): value is T =>
    words.some((word) => word === value)

function isRatio(value: unknown): value is number | string {
  if (typeof value === 'number') return value > 0 && value <= 1
  if (value === 'auto') return true
  const parts = typeof value === 'string' ? /^([0-9]+)\/([0-9]+)$/.exec(value) : null
  if (parts === null) return false
  const p = BigInt(parts[1]!)
  return p > 0n && p <= BigInt(parts[2]!)
}

export class Refused extends Error {
  override readonly name = 'Refused'
  readonly issues: readonly FieldIssue[]

  constructor(issues: readonly FieldIssue[]) {
    super(issues.map(({ field, reason }) => `${field}: ${reason}`).join('; '))
    this.issues = issues
  }
}

/** Completes a partial policy key by key, or throws `Refused` with each wrong field. */
export function completePolicy(partial: unknown): Policy {
  const issues: FieldIssue[] = []

  function fields(value: unknown, path: string, known: readonly string[]): Fields {
    if (value === undefined) return {}
    if (!isFields(value)) {
      issues.push({ field: path, reason: 'must be an object' })
      return {}
    }
    for (const key of Object.keys(value)) {
      if (!known.includes(key)) issues.push({ field: `${path}.${key}`, reason: 'unknown key' })
    }
    return value
  }

  function take<T>(
    from: Fields,
    path: string,
    key: string,
    is: (value: unknown) => value is T,
    otherwise: T,
  ): T {
    const value = Object.hasOwn(from, key) ? from[key] : undefined
    if (value === undefined) return otherwise
    if (is(value)) return value
    issues.push({ field: `${path}.${key}`, reason: `not allowed: ${JSON.stringify(value)}` })
    return otherwise
  }

  function byState(key: string, defaults: Policy['deadline']): Policy['deadline'] {
    const path = `policy.${key}`
    const given = fields(Object.hasOwn(policy, key) ? policy[key] : undefined, path, OPEN_PHASES)
    const one = (phase: OpenPhase) => take(given, path, phase, isCountOrNull, defaults[phase])
    return {
      discussion: one('discussion'),
      proposal: one('proposal'),
      assign: one('assign'),
      execution: one('execution'),
      review: one('review'),
    }
  }

  const isBoolean = (value: unknown): value is boolean => typeof value === 'boolean'
  const isTalk = (value: unknown): value is readonly OpenPhase[] =>
    Array.isArray(value) && value.every(isOneOf(...OPEN_PHASES))
  const isRejects = (value: unknown): value is number => value === 0 || isCount(value)

  const policy = fields(partial, 'policy', [
    'agreeRatio',
    'leadDecides',
    'assigners',
    'reviewers',
    'reviewQuorum',
    'maxReject',
    'turnUnit',
    'turnLimit',
    'deadline',
    'idle',
    'maxTurns',
    'tokenBudget',
    'minMembers',
    'onLimit',
    'violationLimit',
    'talk',
  ])
  const onLimit = fields(policy.onLimit, 'policy.onLimit', ['proposal', 'execution'])
  const tenMinutes = 600_000
  const complete: Policy = {
    agreeRatio: take(policy, 'policy', 'agreeRatio', isRatio, 'auto'),
    leadDecides: take(policy, 'policy', 'leadDecides', isBoolean, true),
    assigners: take(policy, 'policy', 'assigners', isOneOf('any', 'lead'), 'any'),
    reviewers: take(policy, 'policy', 'reviewers', isOneOf('independent', 'any', 'lead'), 'independent'),
    reviewQuorum: take(policy, 'policy', 'reviewQuorum', isCount, 1),
    maxReject: take(policy, 'policy', 'maxReject', isRejects, 2),
    turnUnit: take(policy, 'policy', 'turnUnit', isOneOf('round', 'message'), 'round'),
    turnLimit: byState('turnLimit', { discussion: 6, proposal: 3, assign: 2, execution: 20, review: 2 }),
    deadline: byState('deadline', {
      discussion: tenMinutes,
      proposal: tenMinutes,
      assign: tenMinutes,
      execution: 3_600_000,
      review: tenMinutes,
    }),
    idle: byState('idle', { discussion: null, proposal: null, assign: null, execution: null, review: null }),
    maxTurns: take(policy, 'policy', 'maxTurns', isCountOrNull, null),
    tokenBudget: take(policy, 'policy', 'tokenBudget', isCountOrNull, null),
    minMembers: take(policy, 'policy', 'minMembers', isCount, 1),
    onLimit: {
      proposal: take(onLimit, 'policy.onLimit', 'proposal', isOneOf('adopt', 'close'), 'close'),
      execution: take(onLimit, 'policy.onLimit', 'execution', isOneOf('review', 'close'), 'review'),
    },
    violationLimit: take(policy, 'policy', 'violationLimit', isCountOrNull, 10),
    talk: take(policy, 'policy', 'talk', isTalk, ['discussion']),
  }
  for (const phase of OPEN_PHASES) {
    if (complete.deadline[phase] !== null) continue
    if (complete.idle[phase] !== null && complete.turnLimit[phase] !== null) continue
    issues.push({
      field: `policy.deadline.${phase}`,
      reason: 'without a deadline the state needs both an idle time and a turn limit',
    })
  }
  if (issues.length > 0) throw new Refused(issues)
  return complete
}

/** What a record's first line asks for, checked and completed. Throws `Refused`. */
export function openRecord(line: Fields): State {
  const issues: FieldIssue[] = []
  if (line.type !== 'open') issues.push({ field: 'type', reason: 'must be open' })
  if (!isTime(line.at)) issues.push({ field: 'at', reason: 'must be a time in ms' })
  if (!isId(line.id)) issues.push({ field: 'id', reason: 'must be 1 to 128 characters' })
  if (line.machine !== undefined && line.machine !== 'conversation') {
    issues.push({ field: 'machine', reason: 'unknown' })
  }
  if (line.version !== undefined && line.version !== 1) issues.push({ field: 'version', reason: 'unknown' })
  if (line.goal !== undefined && typeof line.goal !== 'string') {
    issues.push({ field: 'goal', reason: 'must be text' })
  }
  let policy: Policy
  try {
    policy = completePolicy(line.policy)
  } catch (thrown) {
    if (!(thrown instanceof Refused)) throw thrown
    throw new Refused([...issues, ...thrown.issues])
  }
  const members = Array.isArray(line.members) ? line.members.map(agentId) : []
  const known = members.filter((id) => id !== null)
  if (known.length < members.length) issues.push({ field: 'members', reason: 'must be agent ids' })
  if (members.length === 0) issues.push({ field: 'members', reason: 'must name at least one' })
  if (new Set(known).size < known.length) issues.push({ field: 'members', reason: 'repeated' })
  if (members.length < policy.minMembers) issues.push({ field: 'members', reason: 'fewer than minMembers' })
  const lead = line.lead === undefined || line.lead === null ? null : agentId(line.lead)
  if (line.lead !== undefined && line.lead !== null && (lead === null || !known.includes(lead))) {
    issues.push({ field: 'lead', reason: 'must be a member' })
  }
  for (const field of ['assigners', 'reviewers'] as const) {
    if (policy[field] === 'lead' && lead === null) {
      issues.push({ field: `policy.${field}`, reason: 'needs a lead' })
    }
  }
  if (issues.length > 0) throw new Refused(issues)
  return open({ members: known, lead, policy, at: line.at as number })
}

// -------------------------------------------------------------------------------------------------------- messages

const isTime = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0
const isText = (value: unknown): value is string => typeof value === 'string'
const optional = (value: unknown, is: (value: unknown) => boolean): boolean =>
  value === undefined || is(value)

/** 1 to 128 characters, counted as code points. */
function isId(value: unknown): value is string {
  if (typeof value !== 'string' || value.length === 0 || value.length > 256) return false
  return value.length <= 128 || [...value].length <= 128
}

/** An agent's id, NFC-normalised; null if it is none. */
function agentId(value: unknown): string | null {
  if (typeof value !== 'string') return null
  const id = value.normalize('NFC')
  if (!isId(id) || id.trim() !== id || /\p{Cc}/u.test(id)) return null
  const lower = id.toLowerCase()
  return lower === 'broadcast' || lower === 'task' ? null : id
}

const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText)
const isIds = (value: unknown): boolean => Array.isArray(value) && value.every(isId)

function areSubtasks(value: unknown): boolean {
  if (!Array.isArray(value)) return false
  const ids = new Set<string>()
  for (const [position, item] of value.entries()) {
    if (!isFields(item) || !optional(item.id, isId)) return false
    if (!optional(item.title, isText) || !optional(item.requires, isTexts)) return false
    ids.add(isText(item.id) ? item.id : `t${position + 1}`)
  }
  return ids.size === value.length
}

function isPayload(intent: string, payload: Fields): boolean {
  switch (intent) {
    case 'question':
    case 'info':
      return true
    case 'proposal':
      return optional(payload.subtasks, areSubtasks)
    case 'agree':
      return optional(payload.decisive, (value) => typeof value === 'boolean')
    case 'object':
    case 'accept':
      return optional(payload.subtask, isId)
    case 'assign':
      return isId(payload.subtask) && agentId(payload.owner) !== null && optional(payload.title, isText)
    case 'progress':
      return (
        optional(payload.subtask, isId) &&
        optional(payload.percent, Number.isFinite) &&
        optional(payload.note, isText)
      )
    case 'result':
      return (
        optional(payload.subtask, isId) && optional(payload.status, isOneOf('success', 'partial', 'failed'))
      )
    case 'verdict':
    case 'reject':
      return (
        optional(payload.verdict, isOneOf('pass', 'reject')) &&
        optional(payload.subtasks, isIds) &&
        optional(payload.unsupported, isTexts) &&
        optional(payload.reasons, isTexts)
      )
    default:
      return false
  }
}

/** A message by the schema, as an event; null if it is malformed. */
function readMessage(raw: unknown, at: number): MessageEvent | null {
  if (!isFields(raw)) return null
  const { id, intent, content = '', payload = {}, replyTo = null, tokens = 0 } = raw
  const from = agentId(raw.from)
  if (!isId(id) || from === null || !isText(intent) || !isFields(payload) || !isPayload(intent, payload)) {
    return null
  }
  if (!isText(content) || /\p{Cs}/u.test(content) || Buffer.byteLength(content) > 1_048_576) return null
  if (replyTo !== null && !isId(replyTo)) return null
  if (!Number.isSafeInteger(tokens) || (tokens as number) < 0) return null
  const { to, trace } = raw
  if (to !== undefined && to !== 'broadcast' && to !== 'task' && agentId(to) === null) return null
  if (!optional(raw.conversation, isId)) return null
  if (raw.correlationId !== null && !optional(raw.correlationId, isText)) return null
  if (!optional(raw.sentAt, isInstant)) return null
  if (!optional(raw.schemaVersion, (value) => isText(value) && /^1\.\d+$/.test(value))) return null
  if (trace !== undefined) {
    if (!isFields(trace) || !optional(trace.traceparent, isText) || !optional(trace.tracestate, isText)) {
      return null
    }
  }
  return {
    type: intent,
    at,
    id,
    from,
    content,
    payload: intent === 'assign' ? { ...payload, owner: agentId(payload.owner) } : payload,
    replyTo,
    tokens: tokens as number,
  }
}

function isInstant(value: unknown): boolean {
  return (
    isText(value) &&
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value) &&
    !Number.isNaN(Date.parse(value))
  )
}

/** A conversation that is going on: its state, and who sent each id that it knows. */
export type Session = { state: State; readonly known: Map<string, string> }

/** Steps 1 to 3, then `reduce`; step 5's id. Advances the session. */
export function admit(session: Session, raw: unknown, at: number): Decision {
  const { state, known } = session
  const event = readMessage(raw, at)
  if (event === null) return { ...ignored(state, 'invalid').decision, effect: 'rejected' }
  const sender = known.get(event.id)
  if (sender === event.from) return ignored(state, 'duplicate').decision
  if (sender !== undefined) return { ...ignored(state, 'id_taken').decision, effect: 'rejected' }
  const step = reduce(state, event)
  if (step.decision.effect !== 'ignored') known.set(event.id, event.from)
  session.state = step.state
  return step.decision
}

// ---------------------------------------------------------------------------------------------------------- replay

export class RecordError extends Error {
  override readonly name = 'RecordError'
  /** Counted from 1. */
  readonly line: number

  constructor(line: number, message: string) {
    super(`line ${line}: ${message}`)
    this.line = line
  }
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

function readControl(event: Fields): ControlEvent | null {
  const at = event.at as number
  switch (event.type) {
    case 'join':
    case 'leave':
    case 'fault': {
      const member = agentId(event.member)
      return member === null ? null : { type: event.type, at, member }
    }
    case 'deadline':
    case 'cancel':
      return { type: event.type, at }
    default:
      return null
  }
}

/**
 * A record's lines as split at its line ends: the last one has none, so it is empty, or was cut short (and is
 * dropped when it is no JSON), or is whole.
 */
export function replay(lines: readonly string[]): {
  decisions: Decision[]
  outcome: Outcome | null
  state: State
  known: Map<string, string>
} {
  const first = parse(lines[0] ?? '')
  if (!isFields(first)) throw new RecordError(1, 'no event')
  let opened: State
  try {
    opened = openRecord(first)
  } catch (thrown) {
    if (thrown instanceof Refused) throw new RecordError(1, thrown.message)
    throw thrown
  }
  const session: Session = { state: opened, known: new Map() }
  const decisions: Decision[] = []
  let now = opened.entered
  for (let index = 1; index < lines.length; index += 1) {
    const event = parse(lines[index]!)
    if (event === undefined && index === lines.length - 1) break
    if (!isFields(event) || !isTime(event.at)) throw new RecordError(index + 1, 'no event')
    if (event.at < now) throw new RecordError(index + 1, '`at` is before the last')
    now = event.at
    if (event.type === 'message') {
      decisions.push(admit(session, event.message, now))
      continue
    }
    const controlling = readControl(event)
    if (controlling === null) throw new RecordError(index + 1, 'no event')
    const step = reduce(session.state, controlling)
    session.state = step.state
    decisions.push(step.decision)
  }
  return { decisions, outcome: outcome(session.state), state: session.state, known: session.known }
}
