import { casesOf, type PlantedCase } from './planted-case.ts'

/** The set that the verifier was tuned on; its figure says how well the tuning went, not how good the verifier is. */
export const TUNING: readonly PlantedCase[] = [
  ...casesOf('tinybench', 'README.md', [
    [
      'does not keep the samples',
      'paraphrase',
      'By default Tinybench keeps no samples for latency and throughput, which minimizes memory usage.',
    ],
    [
      'does not keep the samples',
      'negation',
      'By default Tinybench keeps the samples for `latency` and `throughput`.',
    ],
    ['should always be unique', 'paraphrase', 'A task name should be unique within an instance.'],
    ['should always be unique', 'entity', 'Tinybench stores the tasks by name in an array.'],
    [
      'Automatic warmup is on',
      'number',
      'Warmup requires at least 500 ms of accumulated iteration cost and 16 calls.',
    ],
    ['Automatic warmup is on', 'paraphrase', 'Warmup samples are left out of the reported statistics.'],
    ['Automatic warmup is on', 'negation', 'Warmup samples are included in the reported statistics.'],
    ['Automatic warmup is on', 'negation', 'Automatic warmup is off by default.'],
    [
      'different tasks within the bench',
      'paraphrase',
      "When `mode` is 'bench', different tasks of the bench run concurrently.",
    ],
    [
      'different tasks within the bench',
      'entity',
      "When `mode` is set to 'bench', each task's iterations run concurrently.",
    ],
    ['different tasks within the bench', 'paraphrase', 'Concurrency is disabled by default.'],
    ['different timestamp providers', 'entity', 'By default Tinybench uses `process.hrtime`.'],
    [
      'different timestamp providers',
      'paraphrase',
      'With `auto`, Tinybench picks the most precise timestamp provider that is available.',
    ],
    [
      'Accumulate the values the operation',
      'overstated',
      'Accumulating the values guarantees that engine optimizations never eliminate your work.',
    ],
    [
      'Accumulate the values the operation',
      'paraphrase',
      'Accumulation lowers the risk that engine optimizations eliminate your work, but guarantees nothing.',
    ],
    [
      'different timestamp providers',
      'paraphrase',
      'On the `bun` runtime the `bunNanoseconds` shorthand can be used too.',
    ],
    ['It is skipped when', 'condition', '`afterAll` always runs.'],
  ]),
  ...casesOf('fast-check', 'README.md', [
    [
      'flatMap-operation called',
      'paraphrase',
      '`chain` binds the output of one arbitrary as input of another and keeps shrinking.',
    ],
    ['biased by default', 'overstated', 'By default fast-check generates only large values.'],
    [
      'biased by default',
      'paraphrase',
      'By default it generates small as well as large values, so counterexamples are easier to find.',
    ],
    ['ability to shrink on', 'negation', 'fast-check cannot shrink on `fc.oneof`.'],
    ['verbose mode', 'paraphrase', 'Troubleshooting is easier with verbose mode on.'],
    ['has been trusted for years', 'entity', 'fast-check has been trusted for years by webpack.'],
  ]),
  ...casesOf('leven', 'readme.md', [
    [
      'If the actual distance exceeds',
      'paraphrase',
      'The function returns `maxDistance` when the actual distance is greater than this value.',
    ],
    [
      'If the actual distance exceeds',
      'entity',
      'If the actual distance exceeds this value, the function will throw an error.',
    ],
    [
      'Returns the closest matching string',
      'paraphrase',
      'It returns the closest matching string, or `undefined` if there are no candidates.',
    ],
    [
      'Returns the closest matching string',
      'entity',
      'It returns an empty string if no candidates are provided.',
    ],
  ]),
  ...casesOf('semver', 'README.md', [
    [
      'composed of one or more comparator sets',
      'paraphrase',
      'A range consists of comparator sets joined by `||`.',
    ],
    ['would match the versions', 'negation', 'The comparator `>=1.2.7` would match the version `1.2.6`.'],
    ['default to zero-based', 'direction', '`identifierBase` will default to one-based.'],
    ['is stripped off and ignored', 'paraphrase', 'A leading `"v"` character is stripped and ignored.'],
    ['has a prerelease tag', 'overstated', 'A version with a prerelease tag satisfies all comparator sets.'],
  ]),
  ...casesOf('pure-rand', 'README.md', [
    ['PRNGs come with', 'number', '6 PRNGs come with pure-rand.'],
    ['Our recommendation is', 'paraphrase', 'The recommended generator is `xoroshiro128plus`.'],
    ['Our recommendation is', 'entity', 'The recommended generator is `mersenne`.'],
  ]),
  ...casesOf('lru-cache', 'README.md', [
    [
      'deletes the least-recently-used',
      'paraphrase',
      'The cache removes the items that were used least recently.',
    ],
    [
      'deletes the least-recently-used',
      'paraphrase',
      'Expired items are not pruned ahead of time by default.',
    ],
    ['deletes the least-recently-used', 'negation', 'This cache makes strong TTL guarantees.'],
    ['deletes the least-recently-used', 'entity', 'The cache deletes the most recently used items.'],
    [
      'storage is allocated for',
      'paraphrase',
      'Setting `max` to zero costs some performance and leaves the item count unbounded.',
    ],
    ['storage is allocated for', 'paraphrase', 'Without `max`, either `maxSize` or `ttl` has to be set.'],
    ['storage is allocated for', 'negation', 'The size of an item may be a negative integer.'],
    ['never stores undefined', 'paraphrase', 'Undefined values are never stored in the cache.'],
    ['never stores undefined', 'negation', 'The cache stores undefined values.'],
    [
      'tracking must be enabled',
      'paraphrase',
      'Stale items are purged only when their key is next requested.',
    ],
    ['tracking must be enabled', 'overstated', 'Future versions require the use of `ttlAutopurge`.'],
    [
      'tracking must be enabled',
      'paraphrase',
      'If neither `max` nor `maxSize` is given, `ttl` tracking has to be on.',
    ],
  ]),
  ...casesOf('picomatch', 'README.md', [
    ['Lightweight - No dependencies', 'paraphrase', 'Picomatch has no dependencies and a tiny API.'],
    ['Lightweight - No dependencies', 'paraphrase', 'It loads within about 2ms.'],
    ['Lightweight - No dependencies', 'number', 'It loads in about 20ms.'],
    [
      'Lightweight - No dependencies',
      'paraphrase',
      'The main export takes a glob pattern and gives back a matcher function.',
    ],
  ]),
  ...casesOf('chalk', 'readme.md', [
    [
      'Specifies the level of color support',
      'paraphrase',
      'Chalk detects color support by itself, and setting `level` overrides it.',
    ],
    ['Specifies the level of color support', 'negation', 'Color support cannot be overridden.'],
    [
      'Detect whether the terminal',
      'paraphrase',
      '`FORCE_COLOR` takes precedence over all other color support checks.',
    ],
    ['Detect whether the terminal', 'entity', '`FORCE_COLOR=0` forcefully enables color.'],
    ['later styles take precedent', 'paraphrase', 'Later styles win when styles conflict.'],
    ['later styles take precedent', 'direction', 'Earlier styles take precedent in case of a conflict.'],
  ]),
  ...casesOf('ignore', 'README.md', [
    ['is fully tested', 'paraphrase', '`ignore` has over five hundred unit tests.'],
    ['is fully tested', 'entity', '`ignore` has more than five hundreds of integration tests.'],
    ['used by eslint', 'paraphrase', 'eslint and gitbook are among the users of `ignore`.'],
    ['used by eslint', 'negation', '`minimatch` follows the gitignore spec.'],
  ]),
  ...casesOf('fflate', 'README.md', [
    [
      'can be decompressed by other tools',
      'paraphrase',
      'Other tools can decompress what `fflate` compressed, and the reverse holds too.',
    ],
    [
      'can be decompressed by other tools',
      'paraphrase',
      'Its compression ratios often beat those of the Zlib C library.',
    ],
    [
      'can be decompressed by other tools',
      'overstated',
      'Its compression ratios are always better than those of Zlib.',
    ],
    ['high-speed ZIP file archiving', 'paraphrase', 'Support for fast ZIP archiving adds 3 kB.'],
    ['high-speed ZIP file archiving', 'number', 'In asynchronous mode it achieves over 30x the performance.'],
    [
      'you can take a look at the browser demo',
      'paraphrase',
      'A browser demo lets you try `fflate` before you install it.',
    ],
    [
      'you can take a look at the browser demo',
      'paraphrase',
      'Being pure JavaScript, `fflate` runs in Node.js as well as in the browser.',
    ],
    ['compression is enabled for all files', 'paraphrase', 'All files get compressed by default.'],
    [
      'compression is enabled for all files',
      'paraphrase',
      'Compressing PNGs or JPEGs again wastes resources, since their formats are compressed already.',
    ],
  ]),
  ...casesOf('tinyexec', 'README.md', [
    [
      'does not throw on',
      'paraphrase',
      'A non-zero exit code makes tinyexec throw only if `throwOnError` is `true`.',
    ],
    ['does not throw on', 'paraphrase', 'The output comes back unchanged, with its trailing newlines.'],
    ['does not throw on', 'negation', 'Trailing newlines are trimmed from the output.'],
    ['forcibly killed', 'paraphrase', 'After `timeout` milliseconds the process is killed by force.'],
    ['forcibly killed', 'paraphrase', 'With `persist` set to `true`, the process outlives the host.'],
    [
      'forcibly killed',
      'negation',
      'If `persist` is `true`, the process will not continue after the host exits.',
    ],
    ['takes the same options', 'paraphrase', '`pipe` accepts the options of a regular execution.'],
  ]),
  ...casesOf('escalade', 'readme.md', [
    [
      'only deals with direct ancestry',
      'paraphrase',
      '`escalade` never looks into sibling directories of a parent.',
    ],
    ['only deals with direct ancestry', 'paraphrase', 'Deno has been supported since v3.1.0.'],
    ['This is the primary/default mode', 'paraphrase', 'The async mode is the default one.'],
    ['This is the opt-in mode', 'paraphrase', 'The sync mode suits places where `async` cannot be used.'],
    [
      'locates a file',
      'paraphrase',
      'Once your callback finds a file, `escalade` resolves with its absolute path.',
    ],
    [
      'locates a file',
      'entity',
      'When your `callback` locates a file, `escalade` will resolve with a relative path.',
    ],
    ['locates a file', 'paraphrase', 'If the callback is never satisfied, the result is `undefined`.'],
    ['locates a file', 'paraphrase', 'Both versions have one API, but the sync one uses no Promise.'],
  ]),
  ...casesOf('fs-extra', 'README.md', [
    [
      'adds file system methods',
      'paraphrase',
      '`fs-extra` extends `fs` with further methods and with promises.',
    ],
    ['adds file system methods', 'paraphrase', '`graceful-fs` is used so that no `EMFILE` errors occur.'],
    ['Most methods are async', 'paraphrase', 'Without a callback, every async method returns a promise.'],
    ['Most methods are async', 'paraphrase', 'An error makes sync methods throw.'],
    ['Most methods are async', 'overstated', 'All methods are async by default.'],
    ['They were removed from', 'paraphrase', '`walk` and `walkSync` now come as separate packages.'],
    ['They were removed from', 'number', '`walk()` and `walkSync()` were removed in v3.0.0.'],
  ]),
  ...casesOf('es-module-lexer', 'README.md', [
    [
      'Outputs the list of exports',
      'paraphrase',
      'It lists the exports and the places of the import specifiers.',
    ],
    [
      'Outputs the list of exports',
      'paraphrase',
      'Angular 1 is parsed within 5ms, where Acorn needs more than 100ms.',
    ],
    ['Outputs the list of exports', 'number', 'Angular 1 is parsed in 50ms.'],
    [
      'uses Wasm and (safe) eval',
      'paraphrase',
      'By default the library relies on Wasm and on safe eval for speed.',
    ],
    [
      'uses Wasm and (safe) eval',
      'paraphrase',
      'Where CSP forbids eval, the `es-module-lexer/js` build works.',
    ],
    ['uses Wasm and (safe) eval', 'paraphrase', 'The asm.js build comes close to the Wasm version in speed.'],
    [
      'drops certain features',
      'paraphrase',
      'The minimal build leaves out some features to make the binary smaller.',
    ],
    ['drops certain features', 'negation', 'The `es-module-lexer/minimal` build keeps all features.'],
  ]),
  ...casesOf('jiti', 'README.md', [
    ['If you migrated to', 'paraphrase', 'Migrating to `2.0.0` early might have changed the behavior.'],
    [
      'You can alias',
      'paraphrase',
      'Aliasing `jiti` to `jiti/native` makes it depend on native runtime support.',
    ],
  ]),
  ...casesOf('semver', 'README.md', [
    [
      'default to zero-based',
      'paraphrase',
      'Prerelease numbers are zero-based unless `identifierBase` is specified.',
    ],
    [
      'The purpose of this behavior',
      'paraphrase',
      'Prerelease versions often contain breaking changes and are updated often.',
    ],
    [
      'Note that this behavior can be',
      'paraphrase',
      'The `includePrerelease` flag switches this behavior off.',
    ],
  ]),
  ...casesOf('fast-check', 'README.md', [
    [
      'race conditions',
      'paraphrase',
      'It finds race conditions by shuffling the order in which promises resolve.',
    ],
    [
      'In case of failure',
      'paraphrase',
      'A failing test prints output that helps to find what is wrong with the implementation.',
    ],
    ['LTS versions', 'paraphrase', 'Using an LTS version of Node that is still supported is recommended.'],
    ['It also proved useful', 'paraphrase', 'It has found bugs in large open source projects such as jest.'],
    ['It also proved useful', 'entity', 'It has found bugs in major open source projects such as webpack.'],
  ]),
  ...casesOf('tinybench', 'README.md', [
    ['Automatic warmup is on', 'paraphrase', 'Turning `warmup` to `false` measures without any warming up.'],
    [
      'classes extend the',
      'paraphrase',
      'Events of tasks and benches are listened to with `addEventListener`.',
    ],
    ['An aborted task has', 'paraphrase', 'Iterations under way may still finish after an abort.'],
    ['an external timer', 'paraphrase', 'No external timer can interrupt `runSync()`.'],
  ]),
]
