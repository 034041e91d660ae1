import { describe, expect, it } from 'vitest'
import { narrator } from '../../src/cli/narrator.ts'
import { convene } from '../../src/index.ts'

/** All that is told of a conversation of one member who says these things. */
const told = async (
  says: readonly (string | { intent: string; payload?: object; content?: string })[],
  options: { width?: number; isPatient?: boolean; isColoured?: boolean } = {},
): Promise<string> => {
  let text = ''
  const write = (part: string): void => {
    expect(part.endsWith('\n')).toBe(true)
    text += part
  }
  const left = [...says]
  await convene({
    goal: 'Agree on a colour',
    agents: {
      ada: () => {
        const next = left.shift()
        if (next === undefined) throw new Error('out of words')
        return typeof next === 'string' ? next : { ...next, payload: { ...next.payload } }
      },
    },
    policy: { maxTurns: says.length || 9, violationLimit: 2 },
    on: narrator({ write, ...options }),
  })
  return text
}

describe('the narrator', () => {
  it('tells who says what, what is left, and the changes of state', async () => {
    const text = await told([{ intent: 'info', content: 'I like blue' }, '[proposal] Blue'])
    expect(text).toMatch(
      /^Agree on a colour\nMembers: ada\n\n── discussion\nada info\n {2}I like blue\n {2}1 turn left, 9 min 59 s left here\nada proposal\n {2}Blue\n\n── proposal \(proposal_raised\)\n/,
    )
    expect(text).toMatch(/── closed \(timeout\)\n$/)
  })

  it('tells what had no effect, and why', async () => {
    const text = await told([{ intent: 'verdict', content: 'Pass' }, 'x'])
    expect(text).toContain('ada verdict\n  Pass\n  recorded: intent_not_allowed\n')
  })

  it('tells of failures, and of a seat that they cost', async () => {
    const text = await told([])
    expect(text).toContain('ada: fault – out of words\n')
    expect(text).toContain('  ada is expelled\n')
  })

  it('shows payloads in short, without how the intent was found', async () => {
    const long = { subtasks: Array.from({ length: 50 }, (_, index) => ({ id: `s${index}` })) }
    const text = await told([{ intent: 'proposal', payload: long }])
    expect(text).toContain('  {"subtasks":[{"id":"s0"},')
    expect(text).not.toContain('s49')
    expect(await told(['[proposal] Blue'])).not.toContain('tagged')
  })

  it('wraps and indents what is said', async () => {
    const text = await told([{ intent: 'info', content: 'one two three four five\n- six' }], { width: 12 })
    expect(text).toContain('ada info\n  one two\n  three four\n  five\n  - six\n')
  })

  it('says whom it waits for when it is patient, and paints when it is coloured', async () => {
    const text = await told(['[info] hm'], { isPatient: true, isColoured: true })
    expect(text).toContain('… asking ada: ')
    expect(text).toContain('\u001b[1mada\u001b[22m \u001b[36minfo\u001b[39m')
  })
})
