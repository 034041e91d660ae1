import { describe, expect, it } from 'vitest'
import { openConversation } from '../../src/index.ts'

const issueOf = (message: object): string[] => {
  const talk = openConversation({ members: ['a'] })
  return (talk.receive({ id: 'm', from: 'a', intent: 'info', ...message }).issues ?? []).map(
    ({ path, message: text }) => `${path} ${text}`,
  )
}

describe('what is wrong with a message is said in words', () => {
  it.each([
    [{ id: 7 }, 'id must be a text, not a number'],
    [{ id: undefined }, 'id is missing: must be a text'],
    [{ id: '' }, 'id must have at least 1 character'],
    [{ id: 'x'.repeat(129) }, 'id must have at most 128 characters'],
    [{ from: ' a' }, 'from must have no control characters and no white space at either end'],
    [{ from: 'Broadcast' }, 'from is reserved: "Broadcast" cannot be an agent\'s id'],
    [{ to: null }, 'to must be a text, not null'],
    [{ intent: 'propsal' }, 'did you mean "proposal"?'],
    [{ intent: undefined }, 'intent is missing: must be one of "question", "info"'],
    [{ tokens: 1.5 }, 'tokens must be an integer, not 1.5'],
    [{ tokens: -1 }, 'tokens must be at least 0'],
    [{ tokens: Number.NaN }, 'tokens must be'],
    [{ payload: [] }, 'payload must be an object, not a list'],
    [{ payload: { x: { y: () => 1 } } }, 'payload.x must be a JSON value, at most 64 levels deep'],
    [{ sentAt: 'yesterday' }, 'sentAt must be ISO 8601 in UTC with milliseconds'],
    [{ schemaVersion: '2.0' }, 'schemaVersion must be "1.0"'],
    [{ conversation: 'another' }, 'conversation names the conversation "another"'],
    [{ intent: 'assign', payload: { subtask: 'x' } }, 'payload.owner is missing: must be a text'],
    [{ intent: 'verdict', payload: { verdict: 'fail' } }, 'payload.verdict must be one of "pass", "reject"'],
    [
      { intent: 'proposal', payload: { subtasks: [{ id: 't2' }, {}] } },
      'payload.subtasks[1].id repeats the id "t2"',
    ],
    [{ content: '\ud800' }, 'content must be well-formed Unicode'],
  ])('%j', (message, expected) => {
    const found = issueOf(message)
    expect(found).toHaveLength(1)
    expect(found[0]).toContain(expected)
    expect(found[0]).not.toMatch(/Invalid|expected|received/)
  })
})
