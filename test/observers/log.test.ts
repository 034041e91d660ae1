import fc from 'fast-check'
import { pino } from 'pino'
import { describe, expect, it } from 'vitest'
import { ColloquyError, type Ended, type Fact, logTo, type Observer, type Work } from '../../src/index.ts'
import { parameters } from '../support/property.ts'
import { facts, LEAKS, leaking, works } from './happenings.ts'

/** A real logger into memory. */
const logged = (options?: Parameters<typeof logTo>[1]) => {
  let text = ''
  const write = (line: string): void => {
    text += line
  }
  const logger = pino({ level: 'debug', base: null }, { write })
  return {
    observer: logTo(logger, options),
    text: () => text,
    lines: () =>
      text
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as Record<string, unknown>),
  }
}

const during = (observer: Observer, work: Work, ended: Ended): void => observer.began?.(work)?.end(ended)

const said = (message: unknown): Work => ({
  type: 'process',
  conversation: 'c',
  protocol: 'p',
  event: { type: 'message', at: 0, message },
})
const decided = (effect: string, reason: string): Ended => ({
  decision: { effect, reason, from: 'a', to: 'b' },
})
const turn: Work = {
  type: 'turn',
  conversation: 'c',
  protocol: 'p',
  member: 'ana',
  state: 's',
  task: 'speak',
}

const DEBUG = 20
const INFO = 30
const WARN = 40
const ERROR = 50

describe('a log', () => {
  it.each([
    [undefined, 'debug, info, warn, error'],
    [console.log, 'debug, info, warn, error'],
    [{ ...console, warn: undefined, debug: 'no' }, 'debug, warn'],
  ])('is refused what is no logger, when it is made: %#', (logger, missing) => {
    expect(() => logTo(logger as never)).toThrow(
      expect.objectContaining({
        code: 'USAGE',
        message: `The logger cannot be used: it has no ${missing}`,
        remedy: 'Give a logger such as pino() makes.',
      }),
    )
  })

  it('has a line for each fact, of the level that it deserves', () => {
    const { observer, lines } = logged()
    const about = { conversation: 'c', protocol: 'p' }
    const told: readonly Fact[] = [
      { type: 'opened', ...about, members: 3 },
      { type: 'resumed', ...about },
      { type: 'transition', ...about, from: 'a', to: 'b', reason: 'r' },
      { type: 'closed', ...about, outcome: { status: 'done', subtasks: ['long'] } },
      { type: 'asked', conversation: 'c', question: 'q', member: 'ana' },
      { type: 'warning', conversation: null, text: 'mind this' },
      { type: 'failed', conversation: 'c', error: new ColloquyError('JOURNAL_FAILED', 'x') },
    ]
    for (const fact of told) observer.happened?.(fact)
    expect(lines()).toMatchObject([
      { level: INFO, msg: 'conversation opened', ...about, members: 3 },
      { level: INFO, msg: 'conversation resumed', ...about },
      { level: INFO, msg: 'state changed', ...about, before: 'a', state: 'b', reason: 'r' },
      { level: INFO, msg: 'conversation closed', ...about, status: 'done' },
      { level: INFO, msg: 'person asked', conversation: 'c', question: 'q', member: 'ana' },
      { level: WARN, msg: 'warning', warning: 'mind this' },
      { level: ERROR, msg: 'failed', conversation: 'c', error: { type: 'JOURNAL_FAILED' } },
    ])
    expect(lines()[3]).not.toHaveProperty('outcome')
  })

  it('has a line for each decision; what is refused warns, except what was only sent again', () => {
    const { observer, lines } = logged()
    const message = { id: 'm', from: 'ana', intent: 'tell', content: 'secret' }
    during(observer, said(message), decided('applied', 'fine'))
    during(observer, said(message), decided('ignored', 'late'))
    during(observer, said(message), decided('rejected', 'invalid'))
    during(observer, said(message), decided('ignored', 'duplicate'))
    const whole = {
      conversation: 'c',
      protocol: 'p',
      event: 'message',
      message: 'm',
      member: 'ana',
      intent: 'tell',
    }
    expect(lines()).toMatchObject([
      {
        level: DEBUG,
        msg: 'event decided',
        ...whole,
        effect: 'applied',
        reason: 'fine',
        before: 'a',
        state: 'b',
      },
      { level: WARN, msg: 'event refused', ...whole, effect: 'ignored', reason: 'late' },
      { level: WARN, msg: 'event refused', effect: 'rejected', reason: 'invalid' },
      { level: DEBUG, msg: 'event decided', ...whole, effect: 'ignored', reason: 'duplicate' },
    ])
    // What is no message may call anything its id.
    for (const name of ['message', 'member', 'intent']) expect(lines()[2]).not.toHaveProperty(name)
  })

  it('tells a fault by its code, and what failed by what lies behind it', () => {
    const { observer, lines } = logged()
    const event = { type: 'fault', at: 0, member: 'ana', error: 'AGENT_TIMEOUT: did not answer' } as const
    const fault: Work = { type: 'process', conversation: 'c', protocol: 'p', event }
    during(observer, fault, decided('recorded', 'fault'))
    during(observer, { ...fault, event: { ...event, error: 'SECRET: x' } }, decided('recorded', 'fault'))
    const full = Object.assign(new Error('no space'), { code: 'ENOSPC' })
    const error = new ColloquyError('JOURNAL_FAILED', 'x', { cause: full })
    during(observer, { type: 'append', conversation: 'c', events: 2 }, { error })
    during(observer, { type: 'append', conversation: 'c', events: 2 }, {})
    during(observer, turn, { error: 'a string' })
    during(observer, turn, { tokens: 7 })
    during(observer, said({}), { error })
    expect(lines()).toMatchObject([
      { level: WARN, msg: 'member failed', member: 'ana', error: { type: 'AGENT_TIMEOUT' } },
      { level: WARN, msg: 'member failed', error: { type: '_OTHER' } },
      { level: ERROR, msg: 'append failed', events: 2, error: { type: 'JOURNAL_FAILED', cause: 'ENOSPC' } },
      { level: WARN, msg: 'turn failed', member: 'ana', state: 's', error: { type: '_OTHER' } },
      { level: DEBUG, msg: 'turn taken', member: 'ana', tokens: 7 },
      { level: ERROR, msg: 'event failed', error: { type: 'JOURNAL_FAILED', cause: 'ENOSPC' } },
    ])
    expect(lines()[2]).toHaveProperty('error.remedy', expect.stringContaining('send again'))
  })

  it('tells what was said when it is asked to', () => {
    const { observer, text } = logged({ content: true })
    for (const [work, ended] of leaking('marker')) during(observer, work, ended)
    for (const fact of facts('marker')) observer.happened?.(fact)
    for (const place of LEAKS) expect(text(), place).toContain(`marker-${place}`)
  })

  it('holds nothing of what was said otherwise, nor what agents and errors say', () => {
    fc.assert(
      fc.property(fc.uuid(), works, (marker, random) => {
        const { observer, text } = logged()
        for (const [work, ended] of [...leaking(marker), ...random(marker)]) during(observer, work, ended)
        for (const fact of facts(marker)) observer.happened?.(fact)
        expect(text()).not.toContain(marker)
        expect(text().length).toBeGreaterThan(500)
      }),
      parameters(100),
    )
  })

  it('cannot be forged: hostile text stays within its field, without line ends and colours, and is cut', () => {
    const hostile = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom(
        '\n{"level":50,"msg":"forged"}',
        '\r\nforged',
        '\u001b[31mred',
        '\u009b31m',
        '\u2028forged',
        '\u202eevil',
        '\u0000',
        '\ud800',
        'x'.repeat(1_000_000),
      ),
    )
    const fields: string[] = []
    const plain = { debug: keep, info: keep, warn: keep, error: keep }
    function keep(line: object): void {
      for (const value of Object.values(line)) if (typeof value === 'string') fields.push(value)
    }
    fc.assert(
      fc.property(hostile, (text) => {
        const { observer, lines } = logged()
        for (const each of [observer, logTo(plain)]) {
          during(each, { ...turn, conversation: text, member: text, state: text }, {})
          during(each, said({ id: text, from: text, intent: text }), decided(text, text))
          each.happened?.({ type: 'warning', conversation: text, text })
          each.happened?.({ type: 'closed', conversation: text, protocol: text, outcome: { status: text } })
        }
        expect(lines()).toHaveLength(4)
        for (const { msg } of lines())
          expect([
            'turn taken',
            'event decided',
            'event refused',
            'warning',
            'conversation closed',
          ]).toContain(msg)
      }),
      parameters(200),
    )
    expect(fields.length).toBeGreaterThan(100)
    expect(fields.filter((value) => /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u.test(value))).toEqual(
      [],
    )
    expect(fields.filter((value) => !value.isWellFormed())).toEqual([])
    // Each unit may be written as six, and content is cut at 8,192.
    expect(Math.max(...fields.map(({ length }) => length))).toBeLessThanOrEqual(6 * 8_193)
  })

  it('survives messages and errors that are not what they seem', () => {
    const { observer, lines } = logged({ content: true })
    const circular: Record<string, unknown> = {}
    circular.cause = circular
    const trap = new Proxy({}, { get: () => broken() })
    function broken(): never {
      throw new Error('trap')
    }
    for (const error of [circular, trap, null, 1, Symbol('x'), Object.create(null)])
      observer.happened?.({ type: 'failed', conversation: null, error })
    for (const message of [undefined, null, 1, 'text', [], { id: 1, trace: 'x', payload: { circular } }])
      during(observer, said(message), decided('applied', 'x'))
    expect(lines()).toHaveLength(12)
  })
})
