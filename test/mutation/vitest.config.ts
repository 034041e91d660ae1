/** The tests that `npm run mutate` puts to each fault: the fast ones, the likeliest to find it first. */
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import type { TestSequencer, TestSpecification } from 'vitest/node'
import { keptThread } from './kept-thread.ts'

const withoutFloors = fileURLToPath(new URL('property.ts', import.meta.url))

/** Examples find most faults within ms; properties take longer; tags are what few faults reach. */
const ORDER = [
  /\/mutation\/loads/,
  /\/machines\/.*\/(vectors|records|cases|effects)\.test/,
  /\/mutation\//,
  /\/machines\/.*\/(config|policy|board|floor|tags)\.test/,
  /\/engine\/(branches|replay|conversation)\.test/,
  /\/properties\/faults/,
  /\/properties/,
  /\/engine\/(?!clock)/,
  /\/(machines|schema)\//,
  // Last, for it leaves spies on the timers behind, which are shared here by all files.
  /\/engine\/clock/,
]

const placeOf = ({ moduleId }: TestSpecification): number =>
  ORDER.findIndex((pattern) => pattern.test(moduleId))

/** The likeliest first: a run ends with the first test that fails. */
class LikeliestFirst implements TestSequencer {
  shard(files: TestSpecification[]): TestSpecification[] {
    return files
  }

  sort(files: TestSpecification[]): TestSpecification[] {
    return files.toSorted((a, b) => placeOf(a) - placeOf(b))
  }
}

// biome-ignore lint/style/noDefaultExport: vitest reads a default export
export default defineConfig({
  plugins: [
    {
      name: 'properties-without-floors',
      enforce: 'pre',
      resolveId: (source, importer) =>
        source.endsWith('/support/property.ts') && importer !== withoutFloors ? withoutFloors : null,
    },
    {
      name: 'one-thread-for-many-runs',
      // Not `pool` below, which Stryker overrules.
      configureVitest: ({ project }) => {
        project.config.pool = keptThread.name
        project.config.poolRunner = keptThread
      },
    },
  ],
  test: {
    include: [
      'test/{machines,engine,properties,schema,mutation}/**/*.test.ts',
      // Knows the texts that say what a key of a policy means.
      'test/house/schemas.test.ts',
    ],
    // What the checker explores takes too long to be done for each fault.
    exclude: ['test/machines/*/{checking,termination,proved}.test.ts'],
    env: { COLLOQUY_SEED: '1', COLLOQUY_RUNS: process.env.COLLOQUY_RUNS ?? '0.2' },
    sequence: { sequencer: LikeliestFirst },
    // One worker for a run of all files: most of a short run is what they import.
    isolate: false,
    testTimeout: 4_000,
    hookTimeout: 10_000,
    setupFiles: [fileURLToPath(new URL('unset.ts', import.meta.url))],
    maxWorkers: 1,
  },
})
