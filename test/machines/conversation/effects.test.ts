/** What the vectors leave out of the effects: counts and owners that show only later. */
import { describe, expect, it } from 'vitest'
import { conversation } from '../../../machines/conversation/index.ts'
import { simulatedClock } from '../../../src/engine/clock.ts'
import type { Sent } from '../../../src/engine/events.ts'
import { openConversation } from '../../../src/engine/opening.ts'
import type { MessageInput } from '../../../src/schema/message.ts'
import type { Talk } from '../../support/play.ts'

const open = (policy: object = {}, lead: string | null = null): Talk =>
  openConversation({
    protocol: conversation,
    members: ['a', 'b', 'c'],
    lead,
    policy,
    at: 0,
    clock: simulatedClock(),
  })
let count = 0
const say = (talk: Talk, from: string, intent: string, more: Partial<MessageInput> = {}): Sent =>
  talk.send({ id: `m${++count}`, from, intent, ...more }, talk.at + 1)
const on = (subtask: string, more: object = {}): Partial<MessageInput> => ({ payload: { subtask, ...more } })

/** Adopted, with the subtasks x and y, nobody's yet. */
const adopted = (policy: object = {}, lead: string | null = null): Talk => {
  const talk = open(policy, lead)
  say(talk, 'a', 'proposal', { payload: { subtasks: [{ id: 'x' }, { id: 'y' }] } })
  say(talk, 'b', 'agree')
  expect(talk.state).toBe('assign')
  return talk
}
const working = (policy: object = {}, lead: string | null = null): Talk => {
  const talk = adopted(policy, lead)
  say(talk, 'a', 'accept', on('x'))
  say(talk, 'b', 'accept', on('y'))
  expect(talk.state).toBe('execution')
  return talk
}

describe('a result', () => {
  it('given again replaces the earlier and is no attempt more', () => {
    const talk = working()
    say(talk, 'a', 'result', on('x', { status: 'failed' }))
    expect(talk.context.subtasks[0]).toMatchObject({ status: 'failed', attempts: 1 })
    say(talk, 'a', 'result', on('x', { output: 2 }))
    expect(talk.context.subtasks[0]).toMatchObject({ status: 'success', attempts: 1, output: 2 })
    say(talk, 'b', 'result')
    say(talk, 'c', 'reject', { payload: { subtasks: ['x'] } })
    expect(talk.context.subtasks).toMatchObject([
      { status: null, owner: 'a', attempts: 1, output: null },
      { status: 'success', owner: 'b', attempts: 1 },
    ])
    say(talk, 'a', 'result')
    expect(talk.context.subtasks.map(({ attempts }) => attempts)).toEqual([2, 1])
  })

  it('of the limit takes offers with it, and the work is free again after a rejection', () => {
    const talk = working({ deadline: { execution: 50 } })
    say(talk, 'a', 'object')
    say(talk, 'b', 'assign', on('x', { owner: 'c' }))
    expect(talk.context.subtasks[0]).toMatchObject({ owner: null, offered: 'c' })
    talk.tick(talk.dueAt ?? 0)
    expect(talk.context.subtasks).toMatchObject([
      { status: 'failed', owner: null, offered: null, attempts: 1 },
      { status: 'failed', owner: 'b', offered: null, attempts: 1 },
    ])
    say(talk, 'a', 'reject')
    expect(talk.context.subtasks).toMatchObject([
      { status: null, owner: null, offered: null, attempts: 1 },
      { status: null, owner: null, offered: null, attempts: 1 },
    ])
    expect(say(talk, 'c', 'accept', on('x')).effect).toBe('applied')
  })
})

describe('an assignment', () => {
  it('to who owns it already leaves it with its owner, from the chair as from the owner', () => {
    const talk = working()
    for (const from of ['a', 'a']) {
      expect(say(talk, from, 'assign', on('x', { owner: 'a' })).effect).toBe('applied')
      expect(talk.context.subtasks[0]).toMatchObject({ owner: 'a', offered: null })
    }
    expect(say(talk, 'a', 'assign', on('y', { owner: 'b' })).effect).toBe('applied')
    expect(talk.context.subtasks[1]).toMatchObject({ owner: 'b', offered: null })
  })

  it('to another takes it from its owner', () => {
    const talk = working()
    expect(say(talk, 'a', 'assign', on('y', { owner: 'a' })).effect).toBe('applied')
    expect(talk.context.subtasks[1]).toMatchObject({ owner: 'a', offered: null })
    expect(say(talk, 'a', 'assign', on('y', { owner: 'c' })).effect).toBe('applied')
    expect(talk.context.subtasks[1]).toMatchObject({ owner: null, offered: 'c' })
  })

  it('of a title renames nothing that exists', () => {
    const talk = adopted({}, 'a')
    say(talk, 'a', 'assign', on('x', { owner: 'b', title: 'Other' }))
    say(talk, 'a', 'assign', on('z', { owner: 'b', title: 'New' }))
    expect(talk.context.subtasks.map(({ id, title }) => [id, title])).toEqual([
      ['x', null],
      ['y', null],
      ['z', 'New'],
    ])
  })
})

describe('an acceptance', () => {
  it('takes the offer off the table', () => {
    const talk = adopted()
    say(talk, 'a', 'assign', on('x', { owner: 'b' }))
    say(talk, 'b', 'accept')
    expect(talk.context.subtasks[0]).toMatchObject({ owner: 'b', offered: null })
  })
})

describe('a vote', () => {
  it('of the author is a turn and never counts, also when it is the lead’s plain one', () => {
    const talk = open({ agreeRatio: 1 }, 'a')
    say(talk, 'a', 'proposal')
    say(talk, 'a', 'agree')
    say(talk, 'a', 'object')
    expect(talk.context.proposals[0]).toMatchObject({ agrees: [], objects: [] })
    expect(talk.context.seats[0]?.turns).toBe(2)
    expect(say(talk, 'a', 'agree', { payload: { decisive: true } }).reason).toBe('lead_decision')
  })
})

describe('a fault', () => {
  it('does not count as having heard a change', () => {
    const talk = open()
    say(talk, 'a', 'proposal')
    talk.fault('b', 'failed', talk.at)
    expect(say(talk, 'b', 'info').reason).toBe('late')
  })
})
