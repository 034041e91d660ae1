/** The adapters as plain JavaScript in a folder without packages, for tests that need a whole node process. */
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')

/** Compiles `src/agents/<name>.ts` and what it imports into `dir`; returns the path of the module. */
export const compiled = (name: string, dir: string): string => {
  writeFileSync(join(dir, 'package.json'), '{"type": "module"}')
  const options =
    '--ignoreConfig --target es2023 --module nodenext --types node --skipLibCheck --rewriteRelativeImportExtensions'
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  const args = [...options.split(' '), '--rootDir', join(root, 'src'), '--outDir', join(dir, 'js')]
  execFileSync(process.execPath, [tsc, ...args, join(root, `src/agents/${name}.ts`)], {
    cwd: root,
    stdio: 'inherit',
  })
  return join(dir, 'js/agents', `${name}.js`)
}
