/** The compiled step against XState's actor and against a reducer written by hand, event for event the same. */
import { deepStrictEqual, ok } from 'node:assert/strict'
import { createActor } from 'xstate'
import type { ConversationEvent } from '../machines/conversation/intents.ts'
import { machine } from '../machines/conversation/machine.ts'
import { start, step } from '../src/engine/step.ts'
import { alternate, type Figure, ratios, time } from './measure.ts'
import type { ControlEvent, MessageEvent } from './reducer.ts'
import * as named from './reducer.ts'
import { randomMix, type Script, steadyTalk } from './scripts.ts'

type ReducerEvent = MessageEvent | ControlEvent
type Reducer = Pick<typeof named, 'open' | 'reduce'>

/** The same reducer, copying its state by spread; see `BY_SPREAD` there. */
const spread: Reducer = await import(new URL('./reducer.js?copy=spread', import.meta.url).href)

/** All three decide alike, or the comparison is worth nothing. Gives what the decisions come to, see `weigh`. */
const compare = (
  scripts: readonly Script[],
): { readonly weight: number; readonly met: ReadonlySet<string> } => {
  const met = new Set<string>()
  let weight = 0
  for (const { events, ...opening } of scripts) {
    let position = start(machine, opening)
    let state = named.open(opening)
    let spreadState = spread.open(opening)
    const actor = createActor(machine, { input: opening }).start()
    for (const event of events) {
      const ours = step(machine, position, event)
      const theirs = named.reduce(state, event as ReducerEvent)
      const bySpread = spread.reduce(spreadState, event as ReducerEvent)
      spreadState = bySpread.state
      deepStrictEqual(bySpread.decision, ours.decision)
      actor.send(event)
      deepStrictEqual(theirs.decision, ours.decision)
      const snapshot = actor.getSnapshot()
      deepStrictEqual(snapshot.context, ours.position.context)
      deepStrictEqual(snapshot.value, ours.position.state)
      weight += weigh(ours.decision)
      met.add(event.type).add(ours.decision.to).add(ours.decision.effect)
      position = ours.position
      state = theirs.state
    }
  }
  return { weight, met }
}

const weigh = ({ effect, reason }: { readonly effect: string; readonly reason: string }): number =>
  effect.length + reason.length

const reducing =
  ({ open, reduce }: Reducer, scripts: readonly Script[], weight: number) =>
  () => {
    const states = scripts.map((script) => open(script))
    return time(() => {
      let sum = 0
      for (const [index, { events }] of scripts.entries()) {
        let state = states[index] as (typeof states)[number]
        for (const event of events as readonly (ConversationEvent & ReducerEvent)[]) {
          const stepped = reduce(state, event)
          sum += weigh(stepped.decision)
          state = stepped.state
        }
      }
      return sum
    }, weight)
  }

/** The sides. Each opens its conversations before the clock starts, and its results are looked at. */
const sidesOf = (scripts: readonly Script[], weight: number) => {
  const turns = scripts.reduce((sum, { events, ...opening }) => {
    let position = start(machine, opening)
    for (const event of events) position = step(machine, position, event).position
    return sum + (position.context as { turns: number }).turns
  }, 0)
  return {
    ours: () => {
      const positions = scripts.map((script) => start(machine, script))
      return time(() => {
        let sum = 0
        for (const [index, { events }] of scripts.entries()) {
          let position = positions[index] as (typeof positions)[number]
          for (const event of events) {
            const stepped = step(machine, position, event)
            sum += weigh(stepped.decision)
            position = stepped.position
          }
        }
        return sum
      }, weight)
    },
    actor: () => {
      const actors = scripts.map((script) => createActor(machine, { input: script }).start())
      return time(() => {
        let sum = 0
        for (const [index, { events }] of scripts.entries()) {
          const actor = actors[index] as (typeof actors)[number]
          for (const event of events) actor.send(event)
          sum += actor.getSnapshot().context.turns
        }
        return sum
      }, turns)
    },
    reducer: reducing(named, scripts, weight),
    spread: reducing(spread, scripts, weight),
  }
}

const EVERYTHING =
  'discussion proposal assign execution review closed applied recorded ignored join leave fault deadline cancel question info agree object accept progress result verdict reject'

const figuresOf = async (name: string, atLeast: number, scripts: readonly Script[]): Promise<Figure[]> => {
  const { weight, met } = compare(scripts)
  if (scripts.length > 1) for (const each of EVERYTHING.split(' ')) ok(met.has(each), `${name} lacks ${each}`)
  const took = await alternate(sidesOf(scripts, weight), { rounds: 11, warmUps: 2, tries: 5 })
  const events = scripts.reduce((sum, script) => sum + script.events.length, 0)
  const each = (ms: readonly number[]) => ms.map((value) => (value / events) * 1_000)
  return [
    { name: `${name}: step, an event`, unit: 'µs', wanted: null, values: each(took.ours) },
    { name: `${name}: XState actor, an event`, unit: 'µs', wanted: null, values: each(took.actor) },
    { name: `${name}: reducer by hand, an event`, unit: 'µs', wanted: null, values: each(took.reducer) },
    {
      name: `${name}: step / XState actor`,
      unit: '×',
      wanted: { atLeast },
      values: ratios(took.actor, took.ours),
    },
    {
      name: `${name}: step / reducer by hand, spread`,
      unit: '×',
      wanted: { atLeast: 1 },
      values: ratios(took.spread, took.ours),
    },
    {
      name: `${name}: step / reducer by hand, each field named`,
      unit: '×',
      wanted: { atLeast: 1 },
      values: ratios(took.reducer, took.ours),
    },
  ]
}

/** Each in a process of its own, so that one does not shape how the engine compiles for the other. */
export const steady = (): Promise<Figure[]> => figuresOf('steady talk', 10, [steadyTalk(20_000)])
export const mix = (): Promise<Figure[]> => figuresOf('random mix', 4, randomMix(500))
