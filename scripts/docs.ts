/**
 * Fills the blocks of README.md that are marked `<!-- generated: colloquy … -->` with what the command prints; with
 * `--check` writes nothing and fails, naming each block that is stale. Run in the repository's root, built: `npm run generate`.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { markedBlocks } from './fenced.ts'

const PAGE = 'README.md'
const before = readFileSync(PAGE, 'utf8')
let after = before
for (const { kind, name, language, code, line } of markedBlocks(before)) {
  if (kind !== 'generated') continue
  const [program, ...args] = name.split(' ')
  if (program !== 'colloquy') throw new Error(`${PAGE}:${line}: only colloquy's own output is generated`)
  const printed = execFileSync(process.execPath, ['dist/src/cli/main.js', ...args], { encoding: 'utf8' })
  if (printed === code) continue
  const mark = `<!-- generated: ${name} -->\n\`\`\`${language}\n`
  const at = after.indexOf(mark + code)
  if (at < 0) throw new Error(`${PAGE}:${line}: the mark stands on a line of its own, right before its block`)
  after = `${after.slice(0, at)}${mark}${printed}${after.slice(at + mark.length + code.length)}`
  if (process.argv.includes('--check')) {
    process.stderr.write(`${PAGE}:${line}: the block of "${name}" is stale: run \`npm run generate\`\n`)
    process.exitCode = 1
  }
}
if (after !== before && !process.argv.includes('--check')) writeFileSync(PAGE, after)
