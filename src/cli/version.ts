/** The version, from the package that this file is part of; sources and build are of different depth in it. */
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

export const version = (): string => {
  for (let folder = import.meta.dirname; ; folder = dirname(folder)) {
    const path = join(folder, 'package.json')
    if (existsSync(path)) {
      const found: { version?: unknown } = JSON.parse(readFileSync(path, 'utf8'))
      return String(found.version)
    }
    if (folder === dirname(folder)) return 'unknown'
  }
}
