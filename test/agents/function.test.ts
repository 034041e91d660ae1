import { describe, expect, test } from 'vitest'
import { textAgent } from '../../src/agents/function.ts'
import { renderTurn } from '../../src/agents/render.ts'
import { quiet, turn } from './turn.ts'

describe('an agent of a function', () => {
  test('the function gets the rendered turn, and its text is the answer', async () => {
    const given: string[] = []
    const agent = textAgent((text) => {
      given.push(text)
      return '[hum] la'
    })
    expect(await agent(turn(), quiet())).toBe('[hum] la')
    expect(given).toEqual([renderTurn(turn())])
    expect(agent.timeout).toBeUndefined()
  })

  test("options are the agent's properties", () => {
    const agent = textAgent(async () => '', { capabilities: ['sing'], timeout: null })
    expect(agent.capabilities).toEqual(['sing'])
    expect(agent.timeout).toBeNull()
  })

  test.each([undefined, null, 5, {}, ['a']])('%j is no text', async (value) => {
    const fn: () => string = Function('value', 'return () => value')(value)
    await expect(textAgent(fn)(turn(), quiet())).rejects.toMatchObject({ code: 'AGENT_ANSWER_INVALID' })
  })

  test('what it throws comes through', async () => {
    const agent = textAgent(() => {
      throw new RangeError('no voice')
    })
    await expect(agent(turn(), quiet())).rejects.toThrow(RangeError)
  })

  test('an abort ends the turn, though the function does not heed it', async () => {
    const controller = new AbortController()
    const answer = textAgent(() => new Promise(() => {}))(turn(), controller.signal)
    controller.abort(new Error('moved on'))
    await expect(answer).rejects.toThrow('moved on')
  })

  test('a function is not called when the turn is over already', async () => {
    let calls = 0
    const agent = textAgent(() => {
      calls++
      return ''
    })
    await expect(agent(turn(), AbortSignal.abort(new Error('over')))).rejects.toThrow('over')
    expect(calls).toBe(0)
  })
})
