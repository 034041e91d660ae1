import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { journalAt } from '../../src/cli/journal-url.ts'
import { colloquy, folder } from './process.ts'

const here = folder()
afterAll(() => here.remove())
mkdirSync(join(here.path, 'records'))
mkdirSync(join(here.path, 'folder.db'))
here.file('file', '')

const opened = async (place: string, make = true) => {
  const { journal, name, folder: kept } = await journalAt(place, { make })
  await journal.close()
  return { name, folder: kept, isShared: journal.capabilities.shared }
}

describe('the journal that a command line names', () => {
  it('is a folder of records', async () => {
    const path = join(here.path, 'records')
    for (const place of [path, `jsonl:${path}`, `JSONL:${path}`])
      expect(await opened(place, false)).toEqual({ name: path, folder: path, isShared: false })
  })

  it('is a file of SQLite by its kind, or by the end of its name', async () => {
    for (const name of ['talks.db', 'talks.SQLite', 'talks.sqlite']) {
      const path = join(here.path, name)
      expect(await opened(path)).toEqual({ name: `sqlite:${path}`, folder: null, isShared: true })
    }
    const path = join(here.path, 'of-any-name')
    expect(await opened(`sqlite:${path}`)).toMatchObject({ name: `sqlite:${path}` })
  })

  it('is a Postgres, whose password is never shown', async () => {
    const shown = await opened('postgresql://ana:s3cret@db.example:6543/talks?password=s3cret#s3cret')
    expect(shown).toEqual({ name: 'postgresql://ana@db.example:6543/talks', folder: null, isShared: true })
  })

  it.each([
    '',
    'mysql://ana:s3cret@db/talks',
    'memory:',
    'postgres:s3cret',
    'postgres://ana:s3cret@db:port/talks',
    'sqlite:',
    'sqlite://s3cret/talks.db',
    'jsonl:',
  ])('is none by "%s": the forms are named, and nothing that may be secret', async (place) => {
    const { code, stdout, stderr } = await colloquy(['journal', 'ls', place], { cwd: here.path })
    expect({ code, stdout }).toEqual({ code: 64, stdout: '' })
    expect(stderr).toMatch(/^colloquy: USAGE: The journal /)
    expect(stderr).toContain('→ Name a folder or jsonl:FOLDER, sqlite:FILE or a path that ends in .db')
    expect(stderr).not.toContain('s3cret')
  })

  it.each([
    ['nowhere', 'nowhere does not exist'],
    ['sqlite:nowhere', 'nowhere does not exist'],
    ['nowhere.db', 'nowhere.db does not exist'],
    ['file', 'file is a file, not a folder of records'],
    ['folder.db', 'folder.db is a folder, not a file of SQLite'],
  ])('must be there to be looked into: %s', async (place, words) => {
    const { code, stderr } = await colloquy(['journal', 'ls', place], { cwd: here.path })
    expect(stderr).toContain(`colloquy: INPUT_MISSING: ${words}\n→ `)
    expect(code).toBe(66)
  })

  it('says that a server cannot be reached without telling the password', async () => {
    const { code, stderr } = await colloquy(['journal', 'ls', 'postgres://ana:s3cret@127.0.0.1:1/talks'])
    expect(stderr).toContain('JOURNAL_FAILED')
    expect(stderr).not.toContain('s3cret')
    expect(code).toBe(74)
  })
})
