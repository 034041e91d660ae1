import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { conversation } from '../../machines/conversation/index.ts'
import {
  type ColloquyError,
  type ConversationEvent,
  createHost,
  memoryJournal,
  openConversation,
  readLines,
  replay,
} from '../../src/index.ts'
import { parameters } from '../support/property.ts'
import { byHand, info, interfered, START, settled, started } from './stage.ts'

const members = ['ana', 'ben', 'cy']

describe('a host', () => {
  it('decides as a conversation in memory does, and keeps the same record', async () => {
    const { clock } = byHand()
    const journal = memoryJournal({ now: clock.now })
    const host = await started({ journal, clock })
    const alone = openConversation({ id: 'c', members, lead: 'ana', clock })
    const view = await host.open({ id: 'c', members, lead: 'ana' })
    expect(view).toMatchObject({
      id: 'c',
      protocol: 'conversation',
      state: 'discussion',
      members,
      lead: 'ana',
      seq: 0,
    })
    const messages = [
      info('m1', 'ana'),
      info('m1', 'ana'),
      info('m1', 'ben'),
      { id: 'm2', from: 'ana', intent: 'proposal', payload: { subtasks: [{ id: 't' }] } },
      { id: 'm3', from: 'ben', intent: 'agree' },
      info('m4', 'zoe'),
      { id: 'm5', from: 'cy', intent: 'accept', payload: { subtask: 7 } },
      { id: 'm6', from: 'cy', intent: 'accept' },
      { id: 'm7', from: 'cy', intent: 'result', content: 'done' },
      { id: 'm8', from: 'ana', intent: 'verdict' },
      info('m9', 'ana'),
    ]
    for (const message of messages) expect(await host.send('c', message)).toEqual(alone.receive(message))
    expect(await host.record('c')).toEqual(alone.record())
    const shown = await host.show('c')
    expect(shown).toMatchObject({ state: 'closed', outcome: alone.outcome, seq: alone.seq, dueAt: null })
    expect(await host.list({ closed: true, status: 'accepted' })).toHaveLength(1)
    expect(await host.list({ closed: false })).toEqual([])
  })

  it('takes joins, leaves, faults and cancels as messages', async () => {
    const host = await started({ journal: memoryJournal() })
    await host.open({ id: 'c', members })
    expect(await host.join('c', 'dee')).toMatchObject({ effect: 'applied', reason: 'joined' })
    expect(await host.leave('c', 'ben')).toMatchObject({ effect: 'applied', reason: 'left' })
    expect(await host.fault('c', 'cy', 'broke')).toMatchObject({ effect: 'recorded', reason: 'fault' })
    expect((await host.show('c'))?.members).toEqual(['ana', 'cy', 'dee'])
    expect(await host.cancel('c')).toMatchObject({ effect: 'applied', reason: 'cancelled' })
    expect(await host.cancel('c')).toMatchObject({ effect: 'ignored', reason: 'closed' })
    expect((await host.record('c')).map(({ type }) => type)).toEqual([
      'open',
      'join',
      'leave',
      'fault',
      'cancel',
    ])
  })

  it('tells nobody of anything before the journal has it', async () => {
    let release = (): void => {}
    const journal = interfered(memoryJournal(), {
      before: (nth) => (nth === 0 ? undefined : new Promise((resolve) => (release = resolve))),
    })
    const host = await started({ journal })
    await host.open({ id: 'c', members })
    const heard: ConversationEvent[] = []
    const following = (async () => {
      for await (const event of host.follow('c', { after: 0 })) heard.push(event)
    })()
    await settled()
    const told: string[] = []
    const first = host.send('c', info('m1', 'ana')).then(() => told.push('m1'))
    const again = host.send('c', info('m1', 'ana')).then(({ reason }) => told.push(reason))
    const refused = host.send('c', info('m2', 'zoe')).then(({ reason }) => told.push(reason))
    const shown = host.show('c').then(() => told.push('shown'))
    await settled()
    expect(told).toEqual([])
    expect(heard).toEqual([])
    release()
    await Promise.all([first, again, refused, shown])
    await settled()
    expect([...told].sort()).toEqual(['duplicate', 'm1', 'not_member', 'shown'])
    expect(heard.map(({ seq }) => seq)).toEqual([1])
    const cancelled = host.cancel('c')
    await settled()
    release()
    await cancelled
    await following
  })

  it('appends together what came while an append was under way, in its order', async () => {
    const sizes: number[] = []
    const memory = memoryJournal()
    const journal = {
      ...memory,
      append: async (...args: Parameters<typeof memory.append>) => {
        sizes.push(args[2].length)
        await settled()
        return memory.append(...args)
      },
    }
    const host = await started({ journal })
    await host.open({ id: 'c', members, policy: { turnLimit: { discussion: 100 } } })
    const sent = await Promise.all(
      Array.from({ length: 50 }, (_, index) => host.send('c', info(`m${index}`, 'ana'))),
    )
    expect(sent.map(({ seq }) => seq)).toEqual(Array.from({ length: 50 }, (_, index) => index + 1))
    expect(sizes).toEqual([1, 1, 49])
    const ids = (await host.record('c')).flatMap((event) =>
      event.type === 'message' ? [(event.message as { id: string }).id] : [],
    )
    expect(ids).toEqual(Array.from({ length: 50 }, (_, index) => `m${index}`))
  })

  it('refuses what it cannot do, by a code, with what is wrong', async () => {
    const host = await started({ journal: memoryJournal() })
    await expect(host.send('nowhere', info('m', 'ana'))).rejects.toMatchObject({
      code: 'CONVERSATION_UNKNOWN',
    })
    await expect(host.open({ members: [] })).rejects.toMatchObject({
      code: 'OPEN_INVALID',
      issues: [{ path: 'members' }],
    })
    await expect(host.open({ members, policy: { maxReject: -1 } })).rejects.toMatchObject({
      code: 'POLICY_INVALID',
      issues: [{ path: 'policy.maxReject' }],
    })
    await expect(host.open({ members, protocol: 'chess' })).rejects.toMatchObject({
      code: 'PROTOCOL_UNKNOWN',
    })
    expect(await host.show('nowhere')).toBeNull()
    expect(await host.record('nowhere')).toEqual([])
    await expect(host.follow('nowhere').next()).rejects.toMatchObject({ code: 'CONVERSATION_UNKNOWN' })
    expect(await host.list()).toEqual([])
    await host.close()
    await host.close()
    await expect(host.open({ members })).rejects.toMatchObject({ code: 'HOST_CLOSED' })
  })

  it.each([
    [{ poll: 0, backlog: Number.NaN }, ['poll', 'backlog']],
    [{ journal: 'talks' }, ['journal']],
    [{ journal: undefined }, ['journal']],
    [{ peple: ['ana'] }, ['peple']],
    [{ people: 'ana' }, ['people']],
    [{ agents: { ana: 'x' } }, ['agents.ana']],
    [{ name: '' }, ['name']],
    [{ protocols: [] }, ['protocols']],
    [{ protocols: ['conversation'] }, ['protocols[0]']],
    [{ observers: [{}] }, ['observers[0]']],
    [{ transport: 'nats://', clock: 5, talk: 'x' }, ['transport', 'clock', 'talk']],
  ])('is not started with %j, and says what is wrong with it', async (wrong, paths) => {
    const error = await createHost({ journal: memoryJournal(), ...wrong } as never).catch((thrown) => thrown)
    expect(error).toMatchObject({ code: 'USAGE' })
    expect(error.issues.map(({ path }: { path: string }) => path)).toEqual(paths)
  })

  it('opens, lists and finds nothing by what is misspelt', async () => {
    const host = await started({ journal: memoryJournal() })
    await expect(host.open({ members, polcy: {} } as never)).rejects.toMatchObject({
      code: 'OPEN_INVALID',
      message: expect.stringContaining('did you mean "policy"'),
      issues: [{ path: 'polcy' }],
    })
    await expect(host.list({ limit: 'x', protocol: 'x' } as never)).rejects.toMatchObject({
      code: 'USAGE',
      issues: [{ path: 'limit' }, { path: 'protocol' }],
    })
    for (const act of [
      () => host.send(7 as never, {}),
      () => host.show(null as never),
      () => host.record({} as never),
    ])
      await expect(act()).rejects.toMatchObject({ code: 'USAGE', issues: [{ path: 'conversation' }] })
    await expect(createHost(undefined as never)).rejects.toMatchObject({ code: 'USAGE' })
  })

  it('opens a conversation once, however often it is asked to with the same words', async () => {
    const host = await started({ journal: memoryJournal() })
    const request = { id: 'c', goal: 'g', members, lead: 'ben', policy: { maxReject: 1 } }
    const views = await Promise.all([host.open(request), host.open(request)])
    await host.send('c', info('m1', 'ana'))
    expect((await host.open(request)).seq).toBe(1)
    expect(views.map(({ id }) => id)).toEqual(['c', 'c'])
    for (const other of [{ goal: 'h' }, { members: ['ben', 'ana'] }, { lead: null }, { policy: {} }])
      await expect(host.open({ ...request, ...other })).rejects.toMatchObject({ code: 'CONVERSATION_EXISTS' })
    expect(await host.record('c')).toHaveLength(2)
  })

  it('takes no more than may wait for the journal', async () => {
    let release = (): void => {}
    const journal = interfered(memoryJournal(), {
      before: (nth) => (nth === 0 ? undefined : new Promise((resolve) => (release = resolve))),
    })
    const host = await started({ journal, backlog: 3 })
    await host.open({ id: 'c', members })
    const sends = Array.from({ length: 5 }, (_, index) => host.send('c', info(`m${index}`, 'ana')))
    const results = Promise.allSettled(sends)
    await settled()
    const answer = release
    release = () => {}
    answer()
    await settled()
    release()
    const codes = (await results).map((result) =>
      result.status === 'rejected' ? (result.reason as ColloquyError).code : 'taken',
    )
    expect(codes).toEqual(['taken', 'taken', 'taken', 'HOST_BUSY', 'HOST_BUSY'])
    expect(await host.record('c')).toHaveLength(4)
    const retried = host.send('c', info('m4', 'ana'))
    await settled()
    release()
    expect(await retried).toMatchObject({ effect: 'applied' })
  })

  it('fires deadlines when they are due and not before, in memory or not', async () => {
    const { clock, pass } = byHand()
    const host = await started({ journal: memoryJournal({ now: clock.now }), clock, resident: 2 })
    const policy = { deadline: { discussion: 60_000 } }
    for (let index = 0; index < 8; index++) await host.open({ id: `c${index}`, members, policy })
    await settled()
    await pass(59_000, 59)
    expect(await host.list({ closed: true })).toEqual([])
    await pass(3_000, 30)
    const closed = await host.list({ status: 'timeout' })
    expect(closed).toHaveLength(8)
    for (const { id } of closed) {
      const record = await host.record(id)
      expect(record.map(({ type }) => type)).toEqual(['open', 'deadline'])
      const at = record[1]?.at ?? 0
      expect(at).toBeGreaterThanOrEqual(START + 60_000)
      // Taken up a little before it is due, so not late either.
      expect(at).toBeLessThanOrEqual(START + 60_100)
    }
  })

  it('goes on with more conversations than it holds in memory', async () => {
    const host = await started({ journal: memoryJournal(), resident: 3, snapshotEvery: 2 })
    const policy = { turnLimit: { discussion: 100 } }
    const ids = Array.from({ length: 20 }, (_, index) => `c${index}`)
    await Promise.all(ids.map((id) => host.open({ id, members, policy })))
    for (let round = 0; round < 5; round++)
      for (const id of ids)
        expect(await host.send(id, info(`m${round}`, 'ana'))).toMatchObject({
          effect: 'applied',
          seq: round + 1,
        })
    // What was said before it was given back is known after.
    for (const id of ids)
      expect(await host.send(id, info('m0', 'ana'))).toMatchObject({ reason: 'duplicate' })
    const held = (await host.list()).filter(({ holder }) => holder !== null)
    expect(held.length).toBeLessThanOrEqual(4)
    expect(held.length).toBeGreaterThan(0)
  })

  it('decides in a conversation taken up from a snapshot as in one taken up from its record', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 7 }),
        fc.array(
          fc.record({
            id: fc.integer({ min: 0, max: 30 }).map((n) => `m${n}`),
            from: fc.constantFrom(...members),
            intent: fc.constantFrom(...Object.keys(conversation.payloads)),
          }),
          { maxLength: 40 },
        ),
        async (snapshotEvery, messages) => {
          const { clock } = byHand()
          const journal = memoryJournal({ now: clock.now })
          const alone = openConversation({ id: 'c', members, clock })
          let host = await started({ journal, clock, snapshotEvery })
          await host.open({ id: 'c', members })
          for (const [index, message] of messages.entries()) {
            if (index % 5 === 4) {
              await host.close()
              host = await started({ journal, clock, snapshotEvery })
            }
            expect(await host.send('c', message)).toEqual(alone.receive(message))
          }
          expect(await host.record('c')).toEqual(alone.record())
          await host.close()
        },
      ),
      parameters(30),
    )
  })

  it('writes records that a replay understands', async () => {
    const host = await started({ journal: memoryJournal() })
    await host.open({ id: 'c', members })
    await host.send('c', info('m1', 'ana'))
    await host.cancel('c')
    const text = (await host.record('c')).map((event) => JSON.stringify(event)).join('\n')
    const { talk } = replay(readLines(text).lines, { conversation })
    expect(talk.outcome).toMatchObject({ status: 'cancelled' })
  })
})
