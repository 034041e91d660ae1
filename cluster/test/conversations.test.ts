/** Conversations on a real Restate server, by the engine that decides in memory too. */
import { ColloquyError, conversation, type Host, openConversation, type Sent } from 'colloquy'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parameters } from '../../test/support/property.ts'
import { type Cluster, registerApp, startCluster } from './cluster.ts'
import { thrown } from './thrown.ts'

let cluster: Cluster
let host: Host

beforeAll(async () => {
  cluster = await startCluster()
  await registerApp(cluster, await cluster.startApp('second'))
  host = cluster.host()
})
afterAll(() => cluster.stop())

const MEMBERS = ['ana', 'ben', 'cy']
const info = (id: string, content = '') => ({ id, from: 'ana', intent: 'info', content })
const open = (id: string, policy: unknown = {}) =>
  host.open({ id, protocol: 'conversation', members: MEMBERS, policy })

/** What Restate's own tables hold. */
const rowsOf = async <Row>(query: string): Promise<readonly Row[]> => {
  const response = await fetch(`${cluster.restate().admin}/query`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify({ query }),
  })
  return ((await response.json()) as { readonly rows: readonly Row[] }).rows
}

/** What may be done to a conversation from outside. */
type Act =
  | { readonly do: 'send'; readonly message: object }
  | { readonly do: 'join' | 'leave' | 'fault'; readonly member: string }
  | { readonly do: 'cancel' }

const member = fc.constantFrom('ana', 'ben', 'cy', 'dee', '')
const id = fc.constantFrom('m1', 'm2', 'm3', 'm4', 'm5')
const act: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      do: fc.constant('send' as const),
      message: fc.record({
        id,
        from: member,
        intent: fc.constantFrom(
          'info',
          'proposal',
          'agree',
          'disagree',
          'accept',
          'result',
          'verdict',
          'nonsense',
        ),
        content: fc.string({ maxLength: 20 }),
        replyTo: fc.option(id),
        payload: fc.constantFrom(
          {},
          { subtasks: [{ id: 'x', title: 'Look' }] },
          { subtask: 'x' },
          { verdict: 'pass' },
        ),
      }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('join', 'leave', 'fault'), member }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('cancel' as const) }) },
)

describe('a conversation', () => {
  it('goes the way that it goes in memory, whatever is done to it', async () => {
    let runs = 0
    await fc.assert(
      fc.asyncProperty(fc.array(act, { minLength: 1, maxLength: 15 }), async (acts) => {
        const name = `run ${runs++}`
        const { at } = await open(name, { maxTurns: 8 })
        const told: Sent[] = []
        for (const one of acts) {
          if (one.do === 'send') told.push(await host.send(name, one.message))
          else if (one.do === 'cancel') told.push(await host.cancel(name))
          else told.push(await host[one.do](name, one.member))
        }
        const record = await host.record(name)

        const talk = openConversation({
          protocol: conversation,
          id: name,
          members: MEMBERS,
          policy: { maxTurns: 8 },
          at,
        })
        const inMemory = acts.map((one, index) => {
          const time = record[told[index]?.seq ?? -1]?.at
          if (one.do === 'send') return talk.receive(one.message, time ?? talk.at)
          if (one.do === 'cancel') return talk.cancel(time ?? talk.at)
          return one.do === 'fault'
            ? talk.fault(one.member, undefined, time ?? talk.at)
            : talk[one.do](one.member, time ?? talk.at)
        })
        expect(told).toEqual(JSON.parse(JSON.stringify(inMemory)))
        expect(record).toEqual(JSON.parse(JSON.stringify(talk.record())))
        const view = await host.show(name)
        expect(view).toMatchObject({ state: talk.state, members: talk.members, seq: talk.seq })
        expect(view?.outcome).toEqual(JSON.parse(JSON.stringify(talk.outcome)))
      }),
      parameters(15),
    )
  })

  it('comes to the end that it comes to in memory, by the same decisions', async () => {
    const messages = [
      { id: 'q', from: 'ben', intent: 'question', content: 'Who looks?' },
      { id: 'p', from: 'ana', intent: 'proposal', payload: { subtasks: [{ id: 'x', title: 'Look' }] } },
      { id: 'v1', from: 'ben', intent: 'agree', replyTo: 'p' },
      { id: 'v2', from: 'cy', intent: 'agree', replyTo: 'p' },
      { id: 'a', from: 'ben', intent: 'accept', payload: { subtask: 'x' } },
      { id: 'r', from: 'ben', intent: 'result', content: 'Found', payload: { subtask: 'x' } },
      { id: 'e', from: 'ana', intent: 'verdict', payload: { verdict: 'pass' } },
    ]
    await open('to the end')
    const told: Sent[] = []
    for (const message of messages) told.push(await host.send('to the end', message))
    const talk = openConversation({ id: 'to the end', members: MEMBERS })
    const inMemory = messages.map((message) => talk.send(message))
    expect(talk.outcome?.status).toBe('accepted')
    expect(told).toEqual(JSON.parse(JSON.stringify(inMemory)))
    const { outcome, dueAt } = (await host.show('to the end')) ?? {}
    expect(dueAt).toBeNull()
    expect(outcome).toMatchObject({ status: 'accepted' })
  })

  it('takes one id once, however many send it at the same time, and tells the others', async () => {
    await open('once')
    const told = await Promise.all(Array.from({ length: 5 }, () => host.send('once', info('m1'))))
    expect(told.map(({ reason }) => reason).filter((reason) => reason === 'duplicate')).toHaveLength(4)
    expect(told.filter(({ effect }) => effect === 'applied')).toHaveLength(1)
    expect(await host.record('once')).toHaveLength(2)
    expect(await host.send('once', { ...info('m1'), from: 'ben' })).toMatchObject({ reason: 'id_taken' })
  })

  it('is the same one when it is opened again in the same way, also after it has gone on', async () => {
    const first = await open('again', { maxTurns: 7 })
    await host.send('again', info('m1'))
    const again = await open('again', { maxTurns: 7 })
    expect(again).toMatchObject({ id: 'again', seq: 1, protocol: first.protocol })
    expect((await thrown(open('again', { maxTurns: 6 }))).code).toBe('CONVERSATION_EXISTS')
    const otherRules = host.open({ id: 'again', protocol: 'poll', members: MEMBERS })
    expect((await thrown(otherRules)).code).toBe('CONVERSATION_EXISTS')
  })

  it.each(['.', '..', 'a/b', '50%', "it's", 'é世界🙂', ' ', '?x#y', 'x'.repeat(109)])(
    'may have the id %j',
    async (name) => {
      const view = await open(name)
      expect(view.id).toBe(name)
      await host.send(name, info('m1'))
      expect((await host.show(name))?.seq).toBe(1)
      expect((await host.list()).map((summary) => summary.id)).toContain(name)
    },
  )

  it('has an id that nobody else has when none is given', async () => {
    const opened = await Promise.all([1, 2].map(() => host.open({ members: ['ana'] })))
    expect(new Set(opened.map((view) => view.id)).size).toBe(2)
  })

  it('is recorded whole, also where it is long and some of it is large', async () => {
    await open('long', { turnLimit: { discussion: null } })
    const contents = Array.from({ length: 40 }, (_, index) =>
      index % 7 === 3 ? 'x'.repeat(9_000) : `${index}`,
    )
    for (const [index, content] of contents.entries()) await host.send('long', info(`m${index}`, content))
    const record = await host.record('long')
    const said = record.flatMap((event) =>
      event.type === 'message' ? [(event.message as { content: string }).content] : [],
    )
    expect(said).toEqual(contents)
    await host.cancel('long')
    for (const after of [-1, 0, 14, 15, 16, 30, 40]) {
      const places: number[] = []
      for await (const { seq } of host.follow('long', { after })) places.push(seq)
      expect(places).toEqual(Array.from({ length: 41 - after }, (_, index) => after + 1 + index))
    }
  })

  it('whose end moves with what is said ends at its last time, with one call under way at a time', async () => {
    const members = ['ana', 'ben', 'cy', 'dee']
    await host.open({ id: 'patient', protocol: 'patient', members, policy: { ms: 3_000 } })
    for (const from of members.slice(0, 3)) {
      await host.send('patient', { id: `by ${from}`, from, intent: 'answer' })
      const query = `SELECT count(*) AS calls FROM sys_invocation WHERE target_service_key = '~patient' AND target_handler_name = 'deadline' AND status != 'completed'`
      const [row] = await rowsOf<{ calls: number }>(query)
      expect(row?.calls).toBe(1)
    }
    const due = (await host.show('patient'))?.dueAt ?? Number.POSITIVE_INFINITY
    const heard: string[] = []
    for await (const { event } of host.follow('patient')) heard.push(event.type)
    expect(heard).toEqual(['open', 'message', 'message', 'message', 'deadline'])
    expect((await host.record('patient')).at(-1)?.at).toBeGreaterThanOrEqual(due)
  })

  it('writes no more for a message when it is long', async () => {
    const headSize = async (): Promise<number> => {
      const query = `SELECT CAST(octet_length(value_utf8) AS BIGINT) AS size FROM state WHERE key = 'head' AND service_key = '~size'`
      const rows = await rowsOf<{ size: number }>(query)
      return rows[0]?.size ?? Number.NaN
    }
    await open('size', { turnLimit: { discussion: null } })
    const sizes: number[] = []
    for (let index = 1; index <= 160; index++) {
      await host.send('size', info(`m${String(index).padStart(4, '0')}`))
      if (index === 20 || index === 148) sizes.push(await headSize())
    }
    const [early = Number.NaN, late = Number.NaN] = sizes
    // A number that has more digits, here and there.
    expect(late - early).toBeLessThan(100)
  })
})

describe('what is wrong', () => {
  it('is told by a policy as it is in memory: nothing was opened', async () => {
    const policy = { maxTurns: -1, turnLimit: { discusion: 3 } }
    const error = await thrown(open('wrong policy', policy))
    let inMemory: unknown
    try {
      openConversation({ members: MEMBERS, policy: policy as object })
    } catch (caught) {
      inMemory = caught
    }
    expect(inMemory).toBeInstanceOf(ColloquyError)
    const { code, message, issues, remedy } = inMemory as ColloquyError
    expect(code).toBe('POLICY_INVALID')
    expect(error).toMatchObject({ code, message, issues, remedy })
    expect(await host.show('wrong policy')).toBeNull()
  })

  it.each([
    ['OPEN_INVALID', { id: 'wrong', members: [] }],
    ['OPEN_INVALID', { id: 'wrong', members: ['ana', 'ana'] }],
    ['OPEN_INVALID', { id: '', members: ['ana'] }],
    ['OPEN_INVALID', { id: '\ud800', members: ['ana'] }],
    ['OPEN_INVALID', { id: 'x'.repeat(110), members: ['ana'] }],
    ['PROTOCOL_UNKNOWN', { id: 'wrong', members: ['ana'], protocol: 'nonsense' }],
  ] as const)('is told as %s: %j', async (code, request) => {
    expect((await thrown(host.open(request))).code).toBe(code)
    expect(await host.show('wrong')).toBeNull()
  })

  it('is told of a conversation that is not there', async () => {
    for (const name of ['nobody', '', '\ud800']) {
      expect((await thrown(host.send(name, info('m1')))).code).toBe('CONVERSATION_UNKNOWN')
      expect((await thrown(host.cancel(name))).code).toBe('CONVERSATION_UNKNOWN')
      expect((await thrown(host.follow(name).next())).code).toBe('CONVERSATION_UNKNOWN')
      expect(await host.show(name)).toBeNull()
      expect(await host.record(name)).toEqual([])
    }
  })

  it('is told of a message by its issues, which is no error', async () => {
    await open('issues')
    const sent = await host.send('issues', { id: 'm1', from: 'ana', intent: 'nonsense' })
    expect(sent).toMatchObject({ effect: 'rejected', reason: 'invalid' })
    expect(sent.issues?.length).toBeGreaterThan(0)
    expect(await host.send('issues', 'no message')).toMatchObject({ reason: 'invalid' })
  })

  it.each(['open', 'send', 'join', 'leave', 'fault', 'answer', 'events', 'show'])(
    'is told at once when "%s" is called past the host with what is no request',
    async (handler) => {
      const name = `odd ${handler}`
      await open(name)
      for (const body of ['null', '"text"', '[]', '{"after":"x","member":7,"question":7}']) {
        const url = `${cluster.restate().ingress}/colloquy/~${encodeURIComponent(name)}/${handler}`
        const response = await fetch(url, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body,
        })
        await response.text()
      }
      expect(await host.send(name, info('m1'))).toMatchObject({ effect: 'applied' })
      expect((await host.show(name))?.members).toEqual(MEMBERS)
    },
  )

  it('in the rules is told as a bug, changes nothing, and holds up nobody', async () => {
    await host.open({ id: 'faulty', protocol: 'poll', members: ['ana', 'ben'] })
    const before = await host.show('faulty')
    const explode = { id: 'm1', from: 'ana', intent: 'explode' }
    expect((await thrown(host.send('faulty', explode))).code).toBe('INTERNAL')
    expect(await host.show('faulty')).toEqual(before)
    // The id was not taken either.
    const sent = await host.send('faulty', { id: 'm1', from: 'ana', intent: 'answer' })
    expect(sent).toMatchObject({ effect: 'applied', to: 'done' })
  })
})
