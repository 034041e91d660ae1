import { describe, expect, it } from 'vitest'
import type { Passage } from '../../../examples/answer/documents.ts'
import { verify } from '../../../examples/answer/verify.ts'
import { library } from './library.ts'
import { PLANTED } from './planted.ts'
import type { PlantedCase } from './planted-case.ts'
import { TUNING } from './tuning.ts'

const flat = (text: string): string => text.replace(/[`\s]+/g, ' ').toLowerCase()

const passageOf = (one: PlantedCase): Passage => {
  const found = library.passages.find(
    (passage) =>
      passage.source.startsWith(`${one.package}/${one.file}`) && flat(passage.text).includes(flat(one.find)),
  )
  if (found === undefined) throw new Error(`${one.package}/${one.file} has no passage with "${one.find}"`)
  return found
}

interface Figures {
  readonly precision: number
  readonly recall: number
  readonly text: string
}

/** How well unsupported sentences are detected. */
const measure = (cases: readonly PlantedCase[], judge: typeof verify): Figures => {
  let [caught, alarms, missed] = [0, 0, 0]
  for (const one of cases) {
    const refused = judge([one.sentence], [passageOf(one)]).length > 0
    if (refused && !one.supported) caught++
    else if (refused) alarms++
    else if (!one.supported) missed++
  }
  const precision = caught / (caught + alarms)
  const recall = caught / (caught + missed)
  const text = `${cases.length} sentences, precision ${precision.toFixed(2)}, recall ${recall.toFixed(2)} (${caught} caught, ${alarms} false alarms, ${missed} missed)`
  return { precision, recall, text }
}

describe('the verifier on planted sentences', () => {
  it('has twenty true and twenty false ones', () => {
    expect(PLANTED.filter((one) => one.supported)).toHaveLength(20)
    expect(PLANTED.filter((one) => !one.supported)).toHaveLength(20)
  })

  it('shares no document with the set it was tuned on', () => {
    const tuned = new Set(TUNING.map((one) => one.package))
    expect(PLANTED.filter((one) => tuned.has(one.package))).toEqual([])
  })

  it('detects the unsupported with precision and recall of at least 0.8', () => {
    const figures = measure(PLANTED, verify)
    console.log(`planted: ${figures.text}`)
    console.log(`tuning:  ${measure(TUNING, verify).text}`)
    expect(figures.precision).toBeGreaterThanOrEqual(0.8)
    expect(figures.recall).toBeGreaterThanOrEqual(0.8)
  })

  it('is measured by figures that a careless verifier fails', () => {
    const all = measure(PLANTED, (answer) => answer.map((sentence) => ({ sentence, reason: 'any' })))
    expect(all.precision).toBeLessThan(0.8)
    expect(measure(PLANTED, () => []).recall).toBe(0)
  })
})

describe('the verifier on our own text', () => {
  const passage: Passage = {
    id: 'a#1',
    source: 'guide.md › Kettle',
    text: 'The kettle holds 2 litres and switches off at 100 degrees. It may hum when cold.\n- Never open the lid while it boils.',
  }
  const refused = (sentence: string): boolean => verify([sentence], [passage]).length > 0

  it.each([
    'The kettle holds 2 litres.',
    'The kettle switches off at 100 degrees and holds 2 litres.',
    'When cold, the kettle may hum.',
    'Never open the lid while it boils.',
  ])('supports: %s', (sentence) => expect(refused(sentence)).toBe(false))

  it.each([
    'The kettle holds 3 litres.',
    'The kettle holds 2 gallons.',
    'The kettle does not switch off at 100 degrees.',
    'The kettle always hums when cold.',
    'The kettle hums.',
    'When cold, the kettle hums.',
    'Open the lid while it boils.',
    'The toaster holds 2 litres.',
    'Mongolia has a capital.',
    'The documents given do not answer this question.',
    '',
  ])('refuses: %s', (sentence) => expect(refused(sentence)).toBe(true))

  it('gives a reason for each', () => {
    for (const one of verify(['The kettle holds 3 litres. It may hum when cold.'], [passage])) {
      expect(one.sentence).toBe('The kettle holds 3 litres.')
      expect(one.reason).toContain('3')
    }
  })

  it('supports nothing without passages', () => {
    expect(verify(['The kettle holds 2 litres.'], [])).toHaveLength(1)
  })
})
