/** Work and facts that hold a marker wherever somebody's words may stand, for tests that look for it. */
import fc from 'fast-check'
import { ColloquyError, type Ended, type Fact, type Work } from '../../src/index.ts'

/** Places of words, each of which is told when content is wanted. */
export const LEAKS = ['content', 'payload', 'fault', 'error', 'cause', 'task'] as const

const decision = { effect: 'applied', reason: 'fine', from: 'a', to: 'b' }
const about = { conversation: 'c', protocol: 'p' }

/** Work with words in every place. */
export const leaking = (marker: string): readonly (readonly [Work, Ended])[] => {
  const message = {
    id: 'm',
    from: 'ana',
    intent: 'tell',
    content: `${marker}-content`,
    payload: { deep: [`${marker}-payload`] },
  }
  const cause = new Error(`${marker}-hidden`)
  const process = (event: Extract<Work, { type: 'process' }>['event']): Work => ({
    type: 'process',
    ...about,
    event,
  })
  const turn: Work = { type: 'turn', ...about, member: 'ana', state: 's', task: `${marker}-task` }
  const invalid = { ...message, id: `${marker} id`, intent: `${marker} intent`, from: `${marker} from` }
  return [
    [process({ type: 'message', at: 0, message }), { decision }],
    [
      process({ type: 'message', at: 0, message: invalid }),
      { decision: { ...decision, effect: 'rejected', reason: 'invalid' } },
    ],
    [process({ type: 'fault', at: 0, member: 'ana', error: `AGENT_FAILED: ${marker}-fault` }), { decision }],
    [turn, { error: new ColloquyError('ENDPOINT_FAILED', `${marker}-error`, { cause }) }],
    [turn, { error: new Error(`${marker}-cause`) }],
    [turn, { error: `${marker} text` }],
    [turn, { error: Object.assign(new Error(marker), { name: `${marker} name`, code: `${marker} code` }) }],
    [
      { type: 'append', conversation: 'c', events: 1 },
      { error: new Error(marker, { cause: { code: marker } }) },
    ],
  ]
}

export const facts = (marker: string): readonly Fact[] => [
  { type: 'opened', ...about, members: 1 },
  { type: 'closed', ...about, outcome: { status: 'done', result: marker } },
  { type: 'warning', conversation: 'c', text: 'An agent failed to stop', error: new Error(marker) },
  { type: 'failed', conversation: null, error: new ColloquyError('JOURNAL_FAILED', marker) },
]

/** Messages of any shape that hold a marker where words stand. */
export const works = fc
  .array(fc.record({ extra: fc.jsonValue(), effect: fc.constantFrom('applied', 'recorded', 'ignored') }))
  .map(
    (all) =>
      (marker: string): readonly (readonly [Work, Ended])[] =>
        all.map(({ extra, effect }) => {
          const message = {
            id: 'm',
            intent: 'tell',
            content: marker,
            payload: { extra, marker },
            [marker]: extra,
          }
          return [
            { type: 'process', ...about, event: { type: 'message', at: 0, message } },
            { decision: { ...decision, effect } },
          ]
        }),
  )
