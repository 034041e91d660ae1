import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { catalogue } from '../../../machines/catalogue.ts'
import { readLines, replay } from '../../../src/engine/replay.ts'

const folder = new URL('../../vectors/', import.meta.url)
const names = readdirSync(folder)
  .filter((name) => name.endsWith('.expected.jsonl'))
  .map((name) => name.replace('.expected.jsonl', ''))

describe('the vectors of the specification', () => {
  it.each(names)('%s', (name) => {
    const read = (suffix: string) =>
      readLines(readFileSync(new URL(`${name}${suffix}`, folder), 'utf8')).lines
    const expected = read('.expected.jsonl').map(({ value }) => value)
    const { talk, decisions } = replay(read('.jsonl'), catalogue)
    const outcome = talk.outcome === null ? null : talk.protocol.brief(talk.outcome)
    const got = [...decisions, { outcome, state: talk.state }]
    expect(got).toHaveLength(expected.length)
    for (const [index, line] of expected.entries())
      expect(got[index], `event ${index + 1}`).toMatchObject(line as object)
    expect(got.at(-1)).toEqual(expected.at(-1))
  })
})
