/** Brings a database's tables to the version that this code knows; any number of hosts may try at once. */
import { ColloquyError } from '../../errors.ts'
import type { Queries } from './queries.ts'
import { quoted, STEPS } from './schema.ts'

const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`

/**
 * One block, so that it is one transaction on whatever connection it gets. What is there already is not made again: a
 * host that finds the tables needs no right to make any.
 */
const block = (schema: string, steps: number): string => {
  const s = quoted(schema)
  const blocks = STEPS.slice(0, steps).map(
    (step, index) => `
      IF reached < ${index + 1} THEN
        ${step(s)}
        INSERT INTO ${s}.migrations (number) VALUES (${index + 1});
      END IF;`,
  )
  return `DO $colloquy$
    DECLARE reached integer;
    BEGIN
      PERFORM pg_advisory_xact_lock(hashtextextended(${literal(`colloquy ${schema}`)}, 0));
      IF to_regnamespace(${literal(s)}) IS NULL THEN
        CREATE SCHEMA ${s};
      END IF;
      IF to_regclass(${literal(`${s}.migrations`)}) IS NULL THEN
        CREATE TABLE ${s}.migrations (number integer PRIMARY KEY, at timestamptz NOT NULL DEFAULT now());
      END IF;
      SELECT coalesce(max(number), 0) INTO reached FROM ${s}.migrations;
      ${blocks.join('')}
    END
  $colloquy$`
}

/**
 * Takes the steps that the database has not taken yet.
 * @param steps how many of them there are; default: all
 * @throws ColloquyError `JOURNAL_VERSION` when it has taken more
 */
export const migrate = async (queries: Queries, schema: string, steps = STEPS.length): Promise<void> => {
  await queries.query(block(schema, steps))
  const { rows } = await queries.query(
    `SELECT max(number)::integer AS reached FROM ${quoted(schema)}.migrations`,
  )
  const reached = Number((rows[0] as { readonly reached?: unknown } | undefined)?.reached)
  if (reached <= steps) return
  throw new ColloquyError(
    'JOURNAL_VERSION',
    `The tables in the schema "${schema}" are of version ${reached}; this version of colloquy knows up to ${steps}`,
  )
}
