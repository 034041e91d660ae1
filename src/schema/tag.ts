/** What a bare text is taken for: the shapes shared by the tagger and a protocol's rules. */

/** One guess at what a text does. */
export interface TagGuess {
  readonly intent: string
  /** How sure the guess is, 0 to 1. */
  readonly confidence: number
  /** Fields of the intent's payload that the text names. */
  readonly payload?: Readonly<Record<string, unknown>>
}

/** Where a text was said. */
export interface Situation {
  readonly state: string
  /** The intents that the rules admit from the speaker now. */
  readonly allowed: readonly string[]
  /** What a text that gives no hint is most likely meant as. */
  readonly expected: string
  /** The work on the table, so that a text can name it by id or title. */
  readonly subtasks?: readonly { readonly id: string; readonly title: string | null }[]
  /** The members, so that a text can name them. */
  readonly members?: readonly string[]
}

/** A protocol's rules: what a text does in a situation, or null when it gives no hint. They throw for no string. */
export type TagRules = (text: string, situation: Situation) => TagGuess | null

/** How a payload field is written in a prefix: as it is, as a number, as true or false, as words, or as one of a few. */
export type PrefixField = 'string' | 'number' | 'boolean' | 'list' | readonly string[]

/** What a protocol lets a prefix such as `[accept t1]` or `[result subtask=t1 status=failed]` say. */
export interface PrefixFields {
  /** By intent: the field that a bare word fills. */
  readonly primary: Readonly<Record<string, string>>
  /** By field: how its value is read; `string` when not named. */
  readonly types?: Readonly<Record<string, PrefixField>>
}

/** How the intent was found. */
export type TaggedBy = 'prefix' | 'json' | 'rules' | 'default'
