/**
 * The one statement of an append: what has to hold is checked and what has to be written is written at once, for any
 * number of appends to different conversations.
 *
 * Whoever writes must be who may. Under a lease: it has taken the conversation, and lasts by the server's clock when the
 * row is reached. Without: nobody has taken it, or the lease is seen to have ended. A lease that this statement cannot
 * see yet, because it began later, has not ended: it counts as one that lasts. Where another statement holds the row,
 * PostgreSQL waits for it and checks again what is there then.
 */
import { quoted } from './schema.ts'

/** $1: appends, $2: their events, $3: their questions, all as JSON; $4: synchronous_commit. Gives the places of those that were done. */
export const appendSql = (schema: string): string => {
  const s = quoted(schema)
  return `
WITH relaxed AS (
  SELECT set_config('synchronous_commit', $4::text, true)
), asked AS (
  SELECT * FROM json_to_recordset($1::json) AS a (
    place integer, id text, seq double precision, events integer, lease text,
    machine text, version bigint, goal text, opened double precision, at double precision,
    stands boolean, state text, due double precision, outcome text, status text,
    snapshot text, snapped integer, asks boolean)
), moved AS (
  UPDATE ${s}.conversations AS c SET
    length = c.length + a.events,
    at = coalesce(a.at, c.at),
    machine = coalesce(a.machine, c.machine),
    version = coalesce(a.version, c.version),
    goal = coalesce(a.goal, c.goal),
    opened_at = coalesce(a.opened, c.opened_at),
    state = CASE WHEN a.stands THEN a.state ELSE c.state END,
    due_at = CASE WHEN a.stands THEN a.due ELSE c.due_at END,
    outcome = CASE WHEN a.stands THEN a.outcome::json ELSE c.outcome END,
    status = CASE WHEN a.stands THEN a.status ELSE c.status END
  FROM asked AS a, relaxed
  WHERE c.id = a.id AND c.length = a.seq AND c.length + a.events > 0 AND CASE
    WHEN a.lease IS NULL THEN c.holder IS NULL OR EXISTS (
      SELECT FROM ${s}.leases AS l WHERE l.id = c.holder AND l.until <= clock_timestamp())
    ELSE c.holder = a.lease AND EXISTS (
      SELECT FROM ${s}.leases AS l WHERE l.id = c.holder AND l.until > clock_timestamp())
  END
  RETURNING a.place
), made AS (
  INSERT INTO ${s}.conversations
    (id, length, machine, version, goal, opened_at, at, state, due_at, outcome, status)
  SELECT a.id, a.events, a.machine, a.version, a.goal, a.opened, a.at, a.state, a.due, a.outcome::json, a.status
  FROM asked AS a, relaxed
  WHERE a.seq = 0 AND a.events > 0 AND a.lease IS NULL
  ON CONFLICT (id) DO NOTHING
  RETURNING id
), done AS (
  SELECT place FROM moved UNION ALL SELECT a.place FROM made JOIN asked AS a USING (id)
), kept AS (
  INSERT INTO ${s}.events (conversation, seq, message, sender, body)
  SELECT e.id, e.seq, e.message, e.sender, e.body::json
  FROM json_to_recordset($2::json) AS e (place integer, id text, seq integer, message text, sender text, body text)
  JOIN done USING (place)
), snapped AS (
  INSERT INTO ${s}.snapshots AS old (conversation, seq, body)
  SELECT a.id, a.snapped, a.snapshot::json FROM asked AS a JOIN done USING (place) WHERE a.snapshot IS NOT NULL
  ON CONFLICT (conversation) DO UPDATE SET seq = excluded.seq, body = excluded.body
), waiting AS (
  SELECT * FROM json_to_recordset($3::json) AS q (
    place integer, id text, conversation text, nth integer, at double precision, body text)
), settled AS (
  DELETE FROM ${s}.questions AS q USING asked AS a JOIN done USING (place)
  WHERE a.asks AND q.conversation = a.id AND NOT EXISTS (SELECT FROM waiting AS w WHERE w.id = q.id)
), raised AS (
  INSERT INTO ${s}.questions AS old (id, conversation, place, at, body)
  SELECT w.id, w.conversation, w.nth, w.at, w.body::json FROM waiting AS w JOIN done USING (place)
  ON CONFLICT (id) DO UPDATE SET place = excluded.place, at = excluded.at, body = excluded.body
)
SELECT place FROM done`
}
