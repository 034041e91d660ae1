/** What defineProtocol fills in, and what it refuses because it could not work. */
import { describe, expect, it } from 'vitest'
import { createMachine } from 'xstate'
import { z } from 'zod'
import { defineProtocol, type ProtocolDefinition } from '../../src/engine/define.ts'
import type { Protocol } from '../../src/engine/protocol.ts'
import { ColloquyError, type Issue } from '../../src/errors.ts'

interface Room {
  readonly members: readonly string[]
}
type Definition = ProtocolDefinition<Room, object, object>

const room = (states: object, more: object = {}) =>
  createMachine({ id: 'room', initial: 'open', context: { members: [] }, states, ...more } as object)

const DONE = { type: 'final' }
const OPEN = { on: { say: {}, cancel: 'done' } }

const definition = (given: Partial<Definition> = {}): Definition => ({
  name: 'room',
  machine: room({ open: OPEN, done: DONE }),
  payloads: { say: z.looseObject({}) },
  members: ({ members }) => members,
  ...given,
})
const defined = (given: Partial<Definition> = {}): Protocol<Room> => defineProtocol(definition(given))

const refusal = (given: Partial<Definition>): ColloquyError => {
  try {
    defined(given)
  } catch (error) {
    if (error instanceof ColloquyError) return error
    throw error
  }
  throw new Error('was taken')
}
const wrongWith = (given: Partial<Definition>): readonly Issue[] => refusal(given).issues ?? []

const IN = { members: ['a', 'b'] }
const GROUP = { members: ['a', 'b'], lead: 'a' }

describe('what defineProtocol fills in', () => {
  const protocol = defined()

  it('is no policy, no lead, no due time, no board, no rank and no reading of texts', () => {
    expect(protocol.version).toBe(1)
    expect(protocol.completePolicy({}, GROUP)).toEqual({ policy: {} })
    expect(protocol.input(GROUP, { x: 1 }, 7)).toEqual({ ...GROUP, policy: { x: 1 }, at: 7 })
    expect(protocol.lead(IN)).toBeNull()
    expect(protocol.dueAt(IN, 'open')).toBeNull()
    expect(protocol.turnsLeft(IN, 'a', 'open')).toBeNull()
    expect(protocol.board(IN, 'a', 'open')).toEqual({})
    expect(protocol.rank(IN, 'open')).toEqual([])
    expect(protocol.brief(IN)).toBe(IN)
    expect(protocol.prefixFields).toEqual({ primary: {} })
    expect(
      protocol.tags('hello', { state: 'open', allowed: ['say'], expected: 'say', subtasks: [], members: [] }),
    ).toBeNull()
  })

  it('lets members say what the machine handles in the state, and nobody else anything', () => {
    expect(protocol.isMember(IN, 'a')).toBe(true)
    expect(protocol.isMember(IN, 'c')).toBe(false)
    expect(protocol.allowed(IN, 'a', 'open')).toEqual([{ intent: 'say', does: 'say' }])
    expect(protocol.allowed(IN, 'c', 'open')).toEqual([])
    expect(protocol.allowed(IN, 'a', 'done')).toEqual([])
    expect(protocol.allowed(IN, 'a', 'nowhere')).toEqual([])
    const told = defined({ meanings: { say: 'says it' } })
    expect(told.allowed(IN, 'a', 'open')).toEqual([{ intent: 'say', does: 'says it' }])
  })

  it('counts what any part of a nested state handles, itself or through those that hold it', () => {
    const nested = defined({
      machine: room(
        {
          open: { initial: 'inner', on: { sing: {} }, states: { inner: { on: { say: {} } } } },
          done: DONE,
        },
        { on: { cancel: '.done', hum: {} } },
      ),
      payloads: { hum: z.looseObject({}), say: z.looseObject({}), sing: z.looseObject({}) },
    })
    const intentsIn = (state: string) => nested.allowed(IN, 'a', state).map(({ intent }) => intent)
    expect(intentsIn('{"open":"inner"}')).toEqual(['hum', 'say', 'sing'])
    expect(intentsIn('open')).toEqual(['hum', 'sing'])
  })

  it('asks everybody who may say something and has turns, at once', () => {
    const asked = (given: Partial<Definition>) =>
      defined(given).floor(IN, { capabilities: new Map(), talk: 'round_robin' }, 'open')
    const call = { task: 'Say what is next.', replyTo: null }
    expect(asked({})).toEqual([
      { ...call, member: 'a', expected: 'say' },
      { ...call, member: 'b', expected: 'say' },
    ])
    expect(asked({ turnsLeft: (_, member) => (member === 'a' ? 0 : 1) })).toEqual([
      { ...call, member: 'b', expected: 'say' },
    ])
    const two = [
      { intent: 'say', does: '' },
      { intent: 'sing', does: '' },
    ]
    expect(asked({ allowed: (_, member) => (member === 'a' ? two : []) })).toEqual([
      { ...call, member: 'a', expected: null },
    ])
  })

  it('gives way to what is defined', () => {
    const own = defined({ version: 3, lead: () => 'b', rank: () => [1] })
    expect([own.version, own.lead(IN), own.rank(IN, 'open')]).toEqual([3, 'b', [1]])
  })
})

describe('a policy', () => {
  const policySchema = z.strictObject({ minutes: z.number().default(5) })

  it('is completed by its schema, and what is wrong with it is named', () => {
    const protocol = defined({ policySchema })
    expect(protocol.completePolicy({}, GROUP)).toEqual({ policy: { minutes: 5 } })
    expect(protocol.completePolicy({ minutes: 'x' }, GROUP)).toMatchObject({
      issues: [{ path: 'policy.minutes' }],
    })
    expect(protocol.completePolicy({ minute: 1 }, GROUP).issues?.[0]?.message).toContain('"minutes"')
    expect(defined().completePolicy({ minutes: 1 }, GROUP).issues).toHaveLength(1)
  })

  it('is checked for the group once it is complete', () => {
    const checkPolicy: Definition['checkPolicy'] = (policy, { members }) =>
      members.length > 1 ? [{ path: 'members', message: JSON.stringify(policy) }] : []
    const protocol = defined({ policySchema, checkPolicy })
    expect(protocol.completePolicy({}, GROUP)).toEqual({
      issues: [{ path: 'members', message: '{"minutes":5}' }],
    })
    expect(protocol.completePolicy({}, { members: ['a'], lead: null })).toEqual({ policy: { minutes: 5 } })
    expect(protocol).not.toHaveProperty('checkPolicy')
    expect(defined({ meanings: {} })).not.toHaveProperty('meanings')
  })
})

describe('what could not work is refused:', () => {
  const NAME = 'must be letters, digits and "-", such as "contract-net": records are told apart by it'

  it('all that is wrong at once, with the protocol’s name', () => {
    const error = refusal({ name: 'Room', machine: room({ open: { on: { say: {}, cancel: {} } } }) })
    expect(error.code).toBe('PROTOCOL_INVALID')
    expect(error.issues).toEqual([
      { path: 'name', message: NAME },
      { path: 'machine', message: 'has no final state: no conversation could ever close' },
    ])
    expect(error.message).toContain(
      `The protocol "Room" cannot work: name ${NAME}; machine has no final state: no conversation could ever close`,
    )
  })

  it('a name that is none', () => {
    for (const name of ['', '-room', 'room!', '!room', 'ro om', 7 as unknown])
      expect(wrongWith({ name: name as string })).toEqual([{ path: 'name', message: NAME }])
    for (const name of ['r', '2-rooms', 'room-2']) expect(defined({ name }).name).toBe(name)
  })

  it('a protocol without intents', () => {
    expect(
      wrongWith({ payloads: {}, machine: room({ open: { on: { cancel: 'done' } }, done: DONE }) }),
    ).toEqual([{ path: 'payloads', message: 'must have the payload schema of at least one intent' }])
  })

  it('an intent of a name that the engine sends itself', () => {
    for (const name of ['join', 'leave', 'fault', 'deadline', 'cancel', 'xstate.stop'])
      expect(
        wrongWith({
          payloads: { [name]: z.looseObject({}) },
          dueAt: () => 1,
          machine: room({ open: { on: { cancel: 'done', deadline: 'done', [name]: 'done' } }, done: DONE }),
        }),
      ).toContainEqual({
        path: `payloads.${name}`,
        message: 'is no name for an intent: the engine sends an event of this name itself',
      })
  })

  it('an intent that no state handles, with the name that may have been meant', () => {
    const some = z.looseObject({})
    expect(wrongWith({ payloads: { say: some, sya: some } })).toEqual([
      { path: 'payloads.sya', message: 'is handled in no state of the machine; did you mean "say"?' },
    ])
    expect(wrongWith({ payloads: { say: some, interrogate: some } })).toEqual([
      { path: 'payloads.interrogate', message: 'is handled in no state of the machine' },
    ])
    const any = room({ open: { on: { '*': 'done' } }, done: DONE })
    expect(defined({ machine: any, payloads: { say: some } }).name).toBe('room')
  })

  it('what the machine handles and nobody can send', () => {
    const machine = (on: object) => room({ open: { on: { say: {}, cancel: 'done', ...on } }, done: DONE })
    expect(wrongWith({ machine: machine({ says: 'done' }) })).toEqual([
      {
        path: 'machine.on.says',
        message: 'is neither an intent nor one of join, leave, fault, deadline, cancel: did you mean "say"?',
      },
    ])
    expect(wrongWith({ machine: machine({ interrogate: 'done' }) })).toEqual([
      {
        path: 'machine.on.interrogate',
        message:
          'is neither an intent nor one of join, leave, fault, deadline, cancel: give it a payload schema in `payloads`',
      },
    ])
    expect(defined({ machine: machine({ join: {}, leave: {}, fault: {} }) }).name).toBe('room')
  })

  it('timers and actors, which never come', () => {
    const timed = room({ open: { ...OPEN, after: { 10: 'done' } }, done: DONE })
    expect(wrongWith({ machine: timed })).toEqual([
      {
        path: 'machine.on.xstate.after.10.room.open',
        message: 'never comes: no timer and no actor runs here; give `dueAt` and handle "deadline"',
      },
    ])
    const invoking = {
      path: 'machine.states.open',
      message: 'invokes an actor, which never runs: agents are asked from outside',
    }
    expect(
      wrongWith({ machine: room({ open: { ...OPEN, invoke: { src: 'x' } }, done: DONE }) }),
    ).toContainEqual(invoking)
    expect(wrongWith({ machine: room({ open: OPEN, done: DONE }, { invoke: { src: 'x' } }) })).toContainEqual(
      invoking,
    )
  })

  it('an open state, however deep, that nobody could stop', () => {
    const message = 'does not handle "cancel": nobody could stop a conversation there'
    const inner = { initial: 'deep', states: { deep: { on: { say: {} } } } }
    expect(wrongWith({ machine: room({ open: { on: { say: 'more' } }, more: OPEN, done: DONE }) })).toEqual([
      { path: 'machine.states.open', message },
    ])
    expect(wrongWith({ machine: room({ open: inner, more: OPEN, done: DONE }) })).toEqual([
      { path: 'machine.states.open.deep', message },
    ])
    const stopped = room({ open: inner, done: DONE }, { on: { cancel: '.done' } })
    expect(defined({ machine: stopped }).name).toBe('room')
  })

  it('due times without deadlines, and deadlines without due times', () => {
    expect(wrongWith({ dueAt: () => 1 })).toEqual([
      {
        path: 'machine.states.open',
        message: 'does not handle "deadline": what `dueAt` promises would never come',
      },
    ])
    const machine = room({ open: { on: { ...OPEN.on, deadline: 'done' } }, done: DONE })
    expect(wrongWith({ machine })).toEqual([
      {
        path: 'dueAt',
        message: 'is missing: the machine handles "deadline", but nobody knows when it is due',
      },
    ])
    expect(defined({ machine, dueAt: () => 1 }).dueAt(IN, 'open')).toBe(1)
    const any = room({ open: { on: { '*': 'done' } }, done: DONE })
    expect(defined({ machine: any, dueAt: () => 1 }).name).toBe('room')
  })
})
