/**
 * The tables, as they came to be. What is here is never changed: files exist that were made by it. A change is one more
 * migration at the end.
 *
 * Names begin with `colloquy_`, since the file may be somebody's who keeps other things in it. Conversations and leases
 * have a number, so that what points to them is small. A lease's number is never given again (AUTOINCREMENT): what an
 * ended one had taken must not be the next one's.
 */
import { ColloquyError } from '../../errors.ts'
import type { Sqlite } from './database.ts'

/** The SQL that leads to each version, from 1 on. */
export const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE colloquy_leases (
    num INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    until INTEGER NOT NULL
  );
  CREATE TABLE colloquy_conversations (
    num INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    -- 0: taken by a lease before it was opened; then all that follows is null, but for the holder.
    length INTEGER NOT NULL DEFAULT 0,
    machine TEXT,
    version INTEGER,
    goal TEXT,
    opened_at INTEGER,
    at INTEGER,
    state TEXT,
    due_at INTEGER,
    outcome TEXT,
    status TEXT,
    holder INTEGER
  );
  CREATE INDEX colloquy_free_by_due ON colloquy_conversations (due_at)
    WHERE outcome IS NULL AND state IS NOT NULL AND holder IS NULL AND due_at IS NOT NULL;
  CREATE INDEX colloquy_open_by_holder ON colloquy_conversations (holder)
    WHERE outcome IS NULL AND holder IS NOT NULL;
  -- In the order in which they came, whosever they are: a transaction then writes few pages, and indexes of small entries.
  CREATE TABLE colloquy_events (
    num INTEGER PRIMARY KEY,
    conversation INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    body TEXT NOT NULL,
    message TEXT,
    sender TEXT
  );
  CREATE UNIQUE INDEX colloquy_events_by_place ON colloquy_events (conversation, seq);
  CREATE UNIQUE INDEX colloquy_events_by_message ON colloquy_events (conversation, message)
    WHERE message IS NOT NULL;
  CREATE TABLE colloquy_snapshots (
    conversation INTEGER PRIMARY KEY,
    seq INTEGER NOT NULL,
    body TEXT NOT NULL
  );
  `,
  `
  CREATE TABLE colloquy_questions (
    num INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    conversation INTEGER NOT NULL,
    at INTEGER NOT NULL,
    body TEXT NOT NULL,
    answer TEXT
  );
  CREATE INDEX colloquy_questions_by_conversation ON colloquy_questions (conversation);
  CREATE INDEX colloquy_questions_answered ON colloquy_questions (conversation) WHERE answer IS NOT NULL;
  -- The events of a closed conversation, gzipped lines of a record, in place of its rows.
  CREATE TABLE colloquy_archives (
    conversation INTEGER PRIMARY KEY,
    body BLOB NOT NULL
  );
  `,
]

/** The version of the tables; 0: there are none. */
const versionOf = (database: Sqlite): number => {
  const found = database.get("SELECT 1 AS found FROM sqlite_master WHERE name = 'colloquy_migrations'")
  if (found === undefined) return 0
  return Number(database.get('SELECT COALESCE(MAX(version), 0) AS version FROM colloquy_migrations')?.version)
}

/**
 * Brings the tables to a version, in one transaction. Where there is nothing to do it only reads, so that nobody who
 * writes is waited for.
 * @param to Default: the newest
 * @throws ColloquyError `JOURNAL_VERSION` when they are of a newer one than this code knows
 */
export const migrate = (database: Sqlite, to: number = MIGRATIONS.length): void => {
  const version = database.reading(() => versionOf(database))
  if (version > MIGRATIONS.length)
    throw new ColloquyError(
      'JOURNAL_VERSION',
      `${database.name} is of version ${version}, and this colloquy knows versions up to ${MIGRATIONS.length}`,
    )
  if (version >= to) return
  database.transaction(() => {
    database.exec(
      'CREATE TABLE IF NOT EXISTS colloquy_migrations (version INTEGER PRIMARY KEY, applied_at INTEGER NOT NULL)',
    )
    // Another process may have brought them on meanwhile.
    const from = versionOf(database)
    for (const [index, sql] of MIGRATIONS.slice(0, to).entries()) {
      if (index < from) continue
      database.exec(sql)
      database.run(
        'INSERT INTO colloquy_migrations (version, applied_at) VALUES (?, ?)',
        index + 1,
        Date.now(),
      )
    }
  })
}
