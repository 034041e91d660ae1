/** The servers' script as plain JavaScript in a folder of its own, for tests that end a whole process. */
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')

/** Compiles the script and what it imports into `folder`; returns the path of its main module. */
export const compiledScript = (folder: string): string => {
  writeFileSync(join(folder, 'package.json'), '{"type": "module"}')
  const options =
    '--ignoreConfig --target es2023 --module nodenext --types node --skipLibCheck --rewriteRelativeImportExtensions'
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  const args = [...options.split(' '), '--rootDir', root, '--outDir', join(folder, 'js')]
  execFileSync(process.execPath, [tsc, ...args, join(root, 'scripts/servers/main.ts')], {
    cwd: root,
    stdio: 'inherit',
  })
  return join(folder, 'js/scripts/servers/main.js')
}
