/** A turn to give to agents under test; of no real protocol. */
import type { TranscriptEntry, Turn } from '../../src/agents/agent.ts'

export const entry = (over: Partial<TranscriptEntry> = {}): TranscriptEntry => ({
  id: 'm1',
  from: 'ben',
  intent: 'hum',
  content: 'Shall we?',
  payload: {},
  replyTo: null,
  state: 'dusk',
  at: 1000,
  effect: 'applied',
  reason: '',
  ...over,
})

export const turn = (over: Partial<Turn<unknown>> = {}): Turn<unknown> => ({
  conversation: 'c1',
  goal: 'Name the tune',
  member: 'ann',
  members: ['ann', 'ben'],
  lead: null,
  state: 'dusk',
  task: 'Say what you heard',
  allowed: [
    { intent: 'hum', does: 'goes on' },
    { intent: 'name-it', does: 'names the tune', form: '{title, year?}' },
  ],
  expected: 'hum',
  replyTo: null,
  transcript: [entry()],
  omitted: 0,
  board: {},
  turnsLeft: 2,
  lastTurn: false,
  timeLeft: 42_000,
  notice: null,
  ...over,
})

/** A signal that never aborts. */
export const quiet = (): AbortSignal => new AbortController().signal
