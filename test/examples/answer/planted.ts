import { casesOf, type PlantedCase } from './planted-case.ts'

/**
 * The measured set: written before the verifier, never tuned on, over packages that the tuning set does not touch.
 * Twenty sentences are true and twenty false.
 */
export const PLANTED: readonly PlantedCase[] = [
  ...casesOf('zod', 'README.md', [
    ['strongly-typed', 'paraphrase', 'For valid input, Zod gives back a deep clone that is strongly typed.'],
    ['strongly-typed', 'negation', 'Zod does not return a clone of valid input.'],
    [
      'granular information',
      'paraphrase',
      'A failed validation makes `.parse()` throw a `ZodError` that describes the issues in detail.',
    ],
    ['median speedup', 'number', 'Across a benchmark of 55 schemas the median speedup is 4.2x.'],
    ['median speedup', 'paraphrase', 'A bare `z.string()` gains nothing from compilation.'],
    [
      'Global mode is automatically',
      'entity',
      'Global mode is switched off automatically when `z.config({ strict: true })` is set.',
    ],
    [
      'plain result object',
      'paraphrase',
      'With `.safeParse()` you get a plain result object holding either the parsed data or a `ZodError`.',
    ],
  ]),
  ...casesOf('commander', 'Readme.md', [
    ['Commander is strict', 'paraphrase', 'Unrecognised options make Commander display an error.'],
    ['Commander is strict', 'negation', 'Commander ignores options it does not recognise.'],
    ['can have a short flag', 'overstated', 'Every option must have a short flag and a long name.'],
    ['normalized to camelCase', 'entity', 'Multi-word options are normalized to snake_case option names.'],
    [
      'with a leading',
      'paraphrase',
      'A boolean option whose long name begins with `no-` sets the value to `false` when it is used.',
    ],
    ['are not greedy', 'negation', 'Options with an optional option-argument are greedy.'],
    [
      'prints the version number',
      'paraphrase',
      '`.version()` prints the version number and then exits, with `-V` and `--version` as the default flags.',
    ],
    [
      'copies the inherited settings',
      'entity',
      '`.addCommand()` automatically copies the inherited settings from the parent command to the new subcommand.',
    ],
    ['requires at least v20', 'number', 'Commander requires at least Node.js v18.'],
    [
      'receive security updates',
      'paraphrase',
      'Older major versions of Commander get security updates for 12 months.',
    ],
    ['argument of a command can be variadic', 'overstated', 'Any argument of a command can be variadic.'],
    [
      'as a separate child process',
      'paraphrase',
      'Executable subcommands run in a child process of their own.',
    ],
  ]),
  ...casesOf('openai', 'README.md', [
    [
      'Requests time out after',
      'paraphrase',
      'By default a request times out after 10 minutes, and the `timeout` option changes this.',
    ],
    ['Requests time out after', 'number', 'Requests time out after 10 seconds by default.'],
    [
      'mutually exclusive with',
      'negation',
      'The `workloadIdentity` parameter can be combined with `apiKey`.',
    ],
    [
      'supported indefinitely',
      'paraphrase',
      'The Chat Completions API, the earlier standard, remains supported indefinitely.',
    ],
    ['must be the raw JSON string', 'entity', 'The `body` parameter must be a parsed JSON object.'],
    [
      'this method consumes the body',
      'roles',
      'Unlike `.withResponse()`, `.asResponse()` consumes the body.',
    ],
    [
      'generally follows',
      'overstated',
      'This package always follows SemVer conventions, without exceptions.',
    ],
    ['React Native is not', 'negation', 'React Native is supported.'],
    [
      'disabled by default to avoid',
      'paraphrase',
      'Browser support is off by default so that secret API credentials are not exposed.',
    ],
    [
      'intended for debugging only',
      'paraphrase',
      'Log messages serve debugging only, and their format may change between releases.',
    ],
  ]),
  ...casesOf('minisearch', 'README.md', [
    [
      'tiny but powerful',
      'paraphrase',
      '`MiniSearch` is a small in-memory full-text search engine that runs in Node and in the browser.',
    ],
    [
      'No stemming is performed',
      'negation',
      'By default `MiniSearch` applies stemming and removes stop words.',
    ],
    [
      'added and removed from the index',
      'paraphrase',
      'You can add documents to the index or remove them from it whenever you like.',
    ],
    [
      'without network latency',
      'paraphrase',
      'Because the index lives in local memory, `MiniSearch` works offline and answers queries quickly.',
    ],
  ]),
  ...casesOf('yaml', 'README.md', [
    ['minimum supported TypeScript version', 'number', 'The included typings need TypeScript 3.6 or newer.'],
    [
      'no external dependencies',
      'paraphrase',
      'The library runs on Node.js and modern browsers without external dependencies.',
    ],
    [
      'Undocumented library internals',
      'overstated',
      'Undocumented library internals never change between minor versions.',
    ],
  ]),
  ...casesOf('nanoid', 'README.md', [
    [
      'larger alphabet than UUID',
      'paraphrase',
      'Its alphabet is larger than that of UUID, so the ID size went from 36 to 21 symbols.',
    ],
    ['larger alphabet than UUID', 'direction', 'Nano ID uses a smaller alphabet than UUID.'],
  ]),
  ...casesOf('xstate', 'README.md', [
    [
      'zero dependencies',
      'paraphrase',
      'XState has no dependencies and is useful for both frontend and backend logic.',
    ],
    [
      'drop support for older versions',
      'paraphrase',
      'A minor release may drop support for older TypeScript versions.',
    ],
  ]),
]
