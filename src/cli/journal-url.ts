/** The journal that a command line names: a folder, a file of SQLite, a Postgres. */
import { statSync } from 'node:fs'
import { ColloquyError } from '../errors.ts'
import type { Journal } from '../journals/journal.ts'
import { FileFailure, missingInput } from './failure.ts'
import { makeFolder } from './folder.ts'

export interface NamedJournal {
  readonly journal: Journal
  /** As it may be shown: without a password. */
  readonly name: string
  /** Of records in files; null for a database. */
  readonly folder: string | null
}

type Form =
  | { readonly kind: 'jsonl' | 'sqlite'; readonly path: string }
  | { readonly kind: 'postgres'; readonly url: URL }

export interface JournalAtOptions {
  /** Whether it is made when it is not there; else a folder or file that is missing is a failure. Default: false. */
  readonly make?: boolean
}

/**
 * Opens the journal at a place. A database is only connected to when it is first used.
 * @param place a folder, `jsonl:DIR`, `sqlite:FILE`, a path that ends in .db or .sqlite, or `postgres://…`
 * @throws ColloquyError `USAGE` for any other form; FileFailure when a folder or file is not there, or cannot be made
 */
export const journalAt = async (
  place: string,
  { make = false }: JournalAtOptions = {},
): Promise<NamedJournal> => {
  const form = formOf(place)
  if (form.kind === 'postgres') {
    const { postgresJournal } = await import('../journals/postgres.ts')
    return { journal: postgresJournal(form.url.href), name: shown(form.url), folder: null }
  }
  const { path } = form
  if (form.kind === 'sqlite') {
    if (!make) refuseMissing(path, false)
    const { sqliteJournal } = await import('../journals/sqlite.ts')
    return { journal: sqliteJournal(path), name: `sqlite:${path}`, folder: null }
  }
  if (make) makeFolder(path, 'Name another folder for the records.')
  else refuseMissing(path, true)
  const { jsonlJournal } = await import('../journals/jsonl.ts')
  return { journal: jsonlJournal(path), name: path, folder: path }
}

const FORMS =
  'Name a folder or jsonl:FOLDER, sqlite:FILE or a path that ends in .db or .sqlite, or postgres://USER@HOST/DATABASE.'

/** What the address says is not repeated: it may hold a password. */
const unknown = (what: string): ColloquyError =>
  new ColloquyError('USAGE', `The journal ${what}`, { remedy: FORMS })

const formOf = (place: string): Form => {
  // Of two letters at least: one is a drive of Windows.
  const scheme = /^([a-z][a-z\d+.-]+):/i.exec(place)?.[1]
  const rest = place.slice((scheme ?? '').length + (scheme === undefined ? 0 : 1))
  if (scheme === undefined) {
    if (place === '') throw unknown('is named by an empty text')
    return { kind: /\.(?:db|sqlite)$/i.test(place) ? 'sqlite' : 'jsonl', path: place }
  }
  const kind = scheme.toLowerCase()
  if (kind === 'postgres' || kind === 'postgresql') {
    if (!rest.startsWith('//') || !URL.canParse(place)) throw unknown(`is no address that "${kind}:" takes`)
    return { kind: 'postgres', url: new URL(place) }
  }
  if (kind !== 'jsonl' && kind !== 'sqlite') throw unknown(`is of an unknown kind, "${scheme}:"`)
  if (rest === '' || rest.startsWith('//')) throw unknown(`is named without a path after "${kind}:"`)
  return { kind, path: rest }
}

/** An address without what opens it. */
const shown = (url: URL): string => {
  const safe = new URL(url)
  safe.password = ''
  // Whatever stands there besides, such as a password as a parameter, says nothing about which journal it is.
  safe.search = ''
  safe.hash = ''
  return safe.href
}

const refuseMissing = (path: string, isFolder: boolean): void => {
  try {
    if (statSync(path).isDirectory() === isFolder) return
  } catch (error) {
    throw missingInput(path, error)
  }
  const what = isFolder ? 'is a file, not a folder of records' : 'is a folder, not a file of SQLite'
  throw new FileFailure('INPUT_MISSING', `${path} ${what}`, FORMS)
}
