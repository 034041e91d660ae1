/** A disk that is full, and one that fails: a small file system in memory, and files that cannot be synced. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest'
import { type ColloquyError, type Journal, jsonlJournal, sqliteJournal } from '../../src/index.ts'
import { info, started } from './stage.ts'

const root = mkdtempSync(join(tmpdir(), 'colloquy-disk-'))
const mounted: string[] = []
afterEach(() => {
  vi.restoreAllMocks()
})
afterAll(() => {
  for (const folder of mounted) execFileSync('umount', ['-l', folder])
  rmSync(root, { recursive: true, force: true })
})

/** A file system of so many bytes; null where this system allows none. */
const small = (name: string, size: string): string | null => {
  const folder = join(root, name)
  mkdirSync(folder)
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder], { stdio: 'ignore' })
  } catch {
    return null
  }
  mounted.push(folder)
  return folder
}

const members = ['ana', 'ben']
const policy = { turnLimit: { discussion: 10_000 }, violationLimit: null }

const idsIn = async (journal: Journal, id: string): Promise<string[]> =>
  (await journal.read(id)).events.flatMap((event) =>
    event.type === 'message' ? [(event.message as { id: string }).id] : [],
  )

describe('a host on a disk that is full', () => {
  it.for([
    ['jsonl', (folder: string) => jsonlJournal(join(folder, 'records'))],
    ['sqlite', (folder: string) => sqliteJournal(join(folder, 'records.db'))],
  ] as const)(
    'over %s acknowledges nothing that is not kept, and goes on when there is room',
    async ([name, at], context) => {
      const folder = small(name, '1m')
      if (folder === null) {
        context.skip('this system allows no tmpfs')
        return
      }
      const ballast = join(folder, 'ballast')
      writeFileSync(ballast, Buffer.alloc(300_000))
      const journal = at(folder)
      const host = await started({ journal })
      await host.open({ id: 'c', members, policy })
      const acknowledged: string[] = []
      let refused: ColloquyError | null = null
      let next = 0
      for (; refused === null && next < 1_000; next++) {
        const message = info(`m${next}`, 'ana', 'x'.repeat(5_000))
        const results = await Promise.allSettled([host.send('c', message)])
        for (const result of results)
          if (result.status === 'rejected') refused = result.reason as ColloquyError
          else acknowledged.push(message.id)
      }
      expect(refused).toMatchObject({ code: 'JOURNAL_FAILED' })
      expect(acknowledged.length).toBeGreaterThan(5)
      expect(await idsIn(journal, 'c')).toEqual(acknowledged)
      // Others hear it as well; nothing is half done.
      await expect(host.open({ id: 'd', goal: 'x'.repeat(60_000), members })).rejects.toMatchObject({
        code: 'JOURNAL_FAILED',
      })
      rmSync(ballast)
      const again = info(`m${next - 1}`, 'ana', 'x'.repeat(5_000))
      expect(await host.send('c', again)).toMatchObject({ effect: 'applied' })
      expect(await idsIn(journal, 'c')).toEqual([...acknowledged, again.id])
      expect(await host.open({ id: 'd', members })).toMatchObject({ seq: 0 })
      await host.close()
      await journal.close()
    },
  )
})

describe('a host on a disk that fails', () => {
  it('acknowledges nothing that could not be synced, and has it once when it is sent again', async () => {
    const journal = jsonlJournal(join(root, 'failing'))
    const host = await started({ journal })
    await host.open({ id: 'c', members, policy })
    const handle = await open(join(root, 'any'), 'w')
    const files = Object.getPrototypeOf(handle) as { datasync(): Promise<void> }
    await handle.close()
    vi.spyOn(files, 'datasync').mockRejectedValue(
      Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO' }),
    )
    await expect(host.send('c', info('m1', 'ana'))).rejects.toMatchObject({
      code: 'JOURNAL_FAILED',
      message: expect.stringContaining('EIO'),
    })
    vi.restoreAllMocks()
    expect(await idsIn(journal, 'c')).toEqual([])
    expect(await host.send('c', info('m1', 'ana'))).toMatchObject({ effect: 'applied', seq: 1 })
    expect(await idsIn(journal, 'c')).toEqual(['m1'])
    await host.close()
    await journal.close()
  })
})
