/** What an agent is shown of what was said: the newest that fits, and how much is left out. */
import { describe, expect, it } from 'vitest'
import type { ConversationEvent } from '../../src/engine/events.ts'
import { emptyTranscript, type View } from '../../src/engine/transcript.ts'

type Heard = ConversationEvent['event']

const decision = {
  index: 1,
  at: 7,
  from: 'open',
  to: 'closed',
  effect: 'applied',
  reason: null,
} as unknown as NonNullable<ConversationEvent['decision']>

const said = (id: string, content: string, payload: object = {}): ConversationEvent => {
  const message = { id, from: 'a', intent: 'info', content, payload, replyTo: 'm0', tokens: 3 }
  return { event: { type: 'message', at: 7, message } as Heard, decision } as ConversationEvent
}

const shown = (view: View, heard: readonly ConversationEvent[]) => {
  const transcript = emptyTranscript(view)
  for (const each of heard) transcript.add(each)
  return transcript.view()
}
const idsIn = (view: View, heard: readonly ConversationEvent[]) => {
  const { transcript, omitted } = shown(view, heard)
  return [transcript.map(({ id }) => id), omitted]
}
const five = ['m1', 'm2', 'm3', 'm4', 'm5'].map((id) => said(id, 'x'))

describe('the transcript', () => {
  it('shows a message with the state it was said in and what came of it', () => {
    expect(shown({}, [said('m1', 'hello', { x: 1 })])).toEqual({
      transcript: [
        {
          id: 'm1',
          from: 'a',
          intent: 'info',
          content: 'hello',
          payload: { x: 1 },
          replyTo: 'm0',
          state: 'open',
          at: 7,
          effect: 'applied',
          reason: null,
        },
      ],
      omitted: 0,
    })
    expect(shown({}, [])).toEqual({ transcript: [], omitted: 0 })
  })

  it('shows nothing but messages, and of those only what was decided', () => {
    const left = { event: { type: 'leave', at: 7, member: 'a' } as Heard, decision } as ConversationEvent
    const undecided = { ...said('m1', 'x'), decision: null } as ConversationEvent
    expect(shown({}, [left, undecided])).toEqual({ transcript: [], omitted: 0 })
  })

  it('keeps the newest messages, 40 unless told, and counts the rest', () => {
    expect(idsIn({ messages: 2 }, five)).toEqual([['m4', 'm5'], 3])
    expect(idsIn({ messages: 5 }, five)).toEqual([['m1', 'm2', 'm3', 'm4', 'm5'], 0])
    expect(idsIn({ messages: 0 }, five)).toEqual([[], 5])
    const many = Array.from({ length: 41 }, (_, index) => said(`m${index}`, 'x'))
    const { transcript, omitted } = shown({}, many)
    expect([transcript.length, omitted]).toEqual([40, 1])
  })

  it('keeps as many as fit the characters of contents and payloads, 24,000 unless told', () => {
    // One character and an empty payload of two.
    expect(idsIn({ characters: 9 }, five)).toEqual([['m3', 'm4', 'm5'], 2])
    expect(idsIn({ characters: 8 }, five)).toEqual([['m4', 'm5'], 3])
    const long = [said('m1', 'x'.repeat(12_000)), said('m2', 'x'.repeat(11_996))]
    expect(idsIn({}, long)).toEqual([['m1', 'm2'], 0])
    expect(idsIn({}, [...long, said('m3', 'x')])).toEqual([['m2', 'm3'], 1])
  })

  it('goes on with what fits again after a message that alone was too long', () => {
    expect(idsIn({ characters: 9 }, [said('m1', 'x'.repeat(20)), ...five.slice(1)])).toEqual([
      ['m3', 'm4', 'm5'],
      2,
    ])
  })

  it('always shows the newest, cut and marked where it alone is too long', () => {
    const { transcript, omitted } = shown({ characters: 20 }, [said('m1', 'x'), said('m2', 'y'.repeat(30))])
    expect(omitted).toBe(1)
    expect(transcript).toMatchObject([{ id: 'm2', content: `${'y'.repeat(14)} […]`, payload: {} }])
    const broken = shown({ characters: 20 }, [said('m1', `${'y'.repeat(13)}😀${'y'.repeat(9)}`)])
    expect(broken.transcript[0]?.content).toBe(`${'y'.repeat(13)}\ufffd […]`)
    const tiny = shown({ characters: 3 }, [said('m1', 'yyyy')])
    expect(tiny.transcript[0]?.content).toBe(' […]')
  })

  it('leaves the payload out where that does not fit beside the content', () => {
    const payload = { x: 'y'.repeat(20) }
    const size = JSON.stringify(payload).length
    const at = (characters: number) =>
      shown({ characters }, [said('m1', 'z'.repeat(100), payload)]).transcript[0]
    expect(at(2 * size)?.payload).toEqual(payload)
    expect(at(2 * size - 1)?.payload).toEqual({})
    expect(at(2 * size)?.content).toBe(`${'z'.repeat(size - 4)} […]`)
    const short = shown({ characters: 40 }, [said('m1', 'zz', { x: 'y'.repeat(50) })]).transcript[0]
    expect(short).toMatchObject({ content: 'zz', payload: {} })
  })
})
