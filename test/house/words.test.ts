/** What no file of the repository may hold: places of one machine, hosts of registries, leftovers of work in progress. */
import { execFileSync } from 'node:child_process'
import { lstatSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '../..')

/** Every file that is or may be committed. */
const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\0')
  .filter(
    (name) => name !== '' && (lstatSync(join(root, name), { throwIfNoEntry: false })?.isFile() ?? false),
  )

const texts = files.flatMap((name): { name: string; text: string }[] => {
  const bytes = readFileSync(join(root, name))
  return bytes.includes(0) ? [] : [{ name, text: bytes.toString('utf8') }]
})

/** Where a pattern stands: `file:line: what`. */
const hits = (pattern: RegExp, among: (name: string) => boolean = () => true): string[] =>
  texts
    .filter(({ name }) => among(name))
    .flatMap(({ name, text }) =>
      text
        .split('\n')
        .flatMap((line, index) =>
          pattern.test(line) ? [`${name}:${index + 1}: ${line.trim().slice(0, 120)}`] : [],
        ),
    )

const isLock = (name: string): boolean => name.endsWith('package-lock.json')
const isTest = (name: string): boolean => name.endsWith('.test.ts')

// Each pattern is written so that it does not find itself.
describe('no file', () => {
  it('names a path of somebody’s machine', () => {
    expect(hits(/(?<![\w.$}~-])\/(?:wor[k]|roo[t]|Users|home)\/\w|\b[A-Z]:\\Users\\/)).toEqual([])
    expect(hits(/\.\.\/share[d]\b/)).toEqual([])
  })

  it('is a link: it would lead to a place of somebody’s machine', () => {
    const staged = execFileSync('git', ['ls-files', '--stage'], { cwd: root, encoding: 'utf8' })
    expect(staged.split('\n').filter((line) => line.startsWith('120000'))).toEqual([])
  })

  it('names the host of a package registry', () => {
    const hosts =
      /\bregistry\.[\w-]+\.\w{2,}|\bpypi\.org|\bpythonhosted\.org|\bcrates\.io|\bproxy\.golang\.org|\brepo\d*\.maven\b|\b(?:deb|security)\.debian\.org/
    expect(hits(hosts)).toEqual([])
  })

  it('says who or what typed it', () => {
    expect(
      hits(
        /\b(?:cla[u]de|anthropi[c]|copilo[t]|chatgp[t])\b|co-authored-b[y]|generated wit[h]/i,
        (name) => !isLock(name),
      ),
    ).toEqual([])
  })

  it('holds the marks of a merge', () => {
    expect(hits(/^(?:<{7}|>{7}|\|{7}) /)).toEqual([])
  })

  it('puts work off', () => {
    expect(hits(/\b(?:TOD[O]|FIXM[E]|XX[X]|HAC[K])\b/, (name) => !isLock(name))).toEqual([])
  })
})

describe('no test', () => {
  it('is left out, or leaves out the others', () => {
    expect(hits(/\b(?:it|test|describe)(?:\.\w+)*\.(?:only|skip|todo)\b/, isTest)).toEqual([])
  })
})

describe('lock files', () => {
  const locks = files.filter(isLock)

  it('are there', () => {
    expect(locks).toContain('package-lock.json')
  })

  it.each(locks)('%s names no address, and has an integrity for every package', (name) => {
    const { packages } = JSON.parse(readFileSync(join(root, name), 'utf8')) as {
      packages: Record<string, { resolved?: string; integrity?: string; link?: boolean; inBundle?: boolean }>
    }
    for (const [path, { resolved, integrity, link, inBundle }] of Object.entries(packages)) {
      if (link === true) continue
      expect(resolved, path).toBeUndefined()
      if (path.includes('node_modules/') && inBundle !== true) expect(integrity, path).toMatch(/^sha512-/)
    }
    expect(readFileSync(join(root, name), 'utf8')).not.toMatch(/https?:\/\/[^"]*\.tgz/)
  })
})
