/**
 * The tables, as numbered steps from nothing to what this version knows. A step that has been released is never changed:
 * whoever has taken it would not get the change.
 *
 * Ids compare by their bytes (`COLLATE "C"`), as the port's lists do. Bodies are `json`, not `jsonb`, which cannot hold
 * a NUL, and which forgets the order of keys. Times of conversations are numbers, as hosts tell them; only leases go by
 * the server's clock.
 */

/** A schema's name as SQL has it. */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`

/** By step, the first being 1: its statements, for the schema `s` (quoted). */
export const STEPS: readonly ((s: string) => string)[] = [
  (s) => `
    CREATE TABLE ${s}.leases (
      id text COLLATE "C" PRIMARY KEY,
      until timestamptz NOT NULL
    );
    -- Of length 0: taken, but not opened yet. The reference keeps a lease from being swept while somebody takes under it.
    CREATE TABLE ${s}.conversations (
      id text COLLATE "C" PRIMARY KEY,
      length integer NOT NULL,
      machine text COLLATE "C",
      version bigint,
      goal text COLLATE "C",
      opened_at double precision,
      at double precision,
      state text COLLATE "C",
      due_at double precision,
      outcome json,
      status text COLLATE "C",
      holder text COLLATE "C" REFERENCES ${s}.leases
    ) WITH (fillfactor = 70);
    CREATE INDEX conversations_due ON ${s}.conversations (due_at)
      WHERE holder IS NULL AND state IS NOT NULL AND outcome IS NULL;
    CREATE INDEX conversations_holder ON ${s}.conversations (holder, due_at) WHERE holder IS NOT NULL;
    CREATE TABLE ${s}.events (
      conversation text COLLATE "C" NOT NULL,
      seq integer NOT NULL,
      message text COLLATE "C",
      sender text COLLATE "C",
      body json NOT NULL,
      PRIMARY KEY (conversation, seq)
    );
    CREATE UNIQUE INDEX events_message ON ${s}.events (conversation, message) WHERE message IS NOT NULL;
    CREATE TABLE ${s}.snapshots (
      conversation text COLLATE "C" PRIMARY KEY,
      seq integer NOT NULL,
      body json NOT NULL
    );
    CREATE TABLE ${s}.questions (
      id text COLLATE "C" PRIMARY KEY,
      conversation text COLLATE "C" NOT NULL,
      place integer NOT NULL,
      at double precision NOT NULL,
      body json NOT NULL,
      answer json
    );
    CREATE INDEX questions_conversation ON ${s}.questions (conversation);
    CREATE INDEX questions_answered ON ${s}.questions (conversation) WHERE answer IS NOT NULL;`,
  // Compact records: the first archived events are in archive; of their rows only those of messages stay, without body.
  (s) => `
    ALTER TABLE ${s}.conversations ADD COLUMN archived integer NOT NULL DEFAULT 0, ADD COLUMN archive bytea;
    ALTER TABLE ${s}.conversations ALTER COLUMN archive SET STORAGE EXTERNAL;
    ALTER TABLE ${s}.events ALTER COLUMN body DROP NOT NULL;`,
]
