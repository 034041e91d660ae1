/** What words mean to one another: the small part of English that technical documentation lives on. */
import { stem } from './words.ts'

/** Words with no content of their own. */
export const EMPTY = new Set(
  `a an the this that these those it its itself he she they them their there here we us our ours you your yours i me my
  is are was were be been being am do does did done doing have has had having will would shall to of in on at by for from with into
  onto as and or but if then than so such when while where which who whom whose what how why because since though although whether
  also too just even still yet already very quite rather really simply easily well thus hence therefore however moreover furthermore
  otherwise instead both either about over within across through per via upon up out down off again between among against during toward
  towards one ones thing things way ways like etc e.g i.e eg ie note please let's lets get gets got way own same respectively
  certain particular given case cases come comes go goes fact certainly basically actually currently now once whatever
  whichever unless until whenever each other another any some all every can could may might must should need not no nor never cannot`
    .split(/\s+/)
    .flatMap((word) => [word, stem(word)]),
)

const groups = `
return give yield produce
throw raise emit
use utilize employ apply leverage rely
show display print render output
let allow enable permit able
on enable active activate
off disable inactive deactivate suppress
remove delete drop discard strip eliminate exclude omit skip leave
add append insert supply extend extra additional
begin start lead prefix
stop end finish terminate exit complete
create make build construct instantiate generate
small tiny little lightweight minimal
large big huge major
often frequent regular common
fast quick rapid high-speed performant speed performance
choose pick select
need require demand
contain include hold comprise carry embed
change modify alter adjust update customize configure
keep retain preserve store save maintain remain stay
early previous prior former old
whole entire complete full
fail failure error invalid
function method routine helper
option setting flag
library package module
documentation docs doc manual
automatic auto
run execute launch invoke call work operate
set configure specify define declare assign
exceed large great high
minimum minimal least
maximum most
accept take receive consume
respond answer reply process handle
live reside exist store
simple easy straightforward convenient
several multiple many various
separate own independent distinct individual
forbid prohibit disallow
combine together join merge
purpose intend serve aim design mean
describe explain detail document
detail granular fine
consist compose comprise
recommend suggest advise encourage
prefer recommend
avoid prevent protect
expose reveal leak
minimize reduce lower low decrease shrink small less few
increase grow extend raise
find locate search discover dig
check test verify validate inspect
wait await
fulltext full-text
convert transform turn normalize translate
import load require
provide offer supply come ship
support work
build compile
environment runtime platform
item entry element
text string
default standard
unrecognised unrecognized unknown
recognise recognize
normalise normalize
optimisation optimization
customise customize
colour color
behaviour behavior
nothing none
concurrent parallel simultaneous
consecutive sequential
bind tie connect link attach
locally local
identical same equal
query request
write stringify serialize
read parse
size length
forever indefinite
symbol character
trust rely
precise exact accurate
suffix ending
beginning leading
plain ordinary simple
log record
schedule plan
override precede precedence precedent supersede win
conflict clash
suit fit ideal suitable appropriate
scenario situation circumstance place
force forcibl
beat outperform good exceed
unchanged exact same
latency delay
duration time
`
  .trim()
  .split('\n')
  .map((line) => [...new Set(line.split(/\s+/).map(stem))])

const synonyms = new Map<string, Set<string>>()
for (const group of groups)
  for (const word of group) {
    const known = synonyms.get(word) ?? new Set<string>()
    for (const other of group) known.add(other)
    synonyms.set(word, known)
  }

/** True when two stems may stand for one another. */
export const isSynonym = (a: string, b: string): boolean => a === b || synonyms.get(a)?.has(b) === true

const opposites = `
on off
enable disable
include exclude
include leave
allow forbid
allow disallow
allow prevent
large small
big small
many few
more less
great few
fast slow
first last
minimum maximum
most least
valid invalid
sync async
synchronous asynchronous
true false
add remove
accept reject
accept ignore
keep discard
keep remove
mandatory optional
require optional
require forbid
always never
old new
early late
upper lower
high low
start end
leading trailing
succeed fail
success failure
local global
public private
internal external
mutable immutable
increase decrease
increase reduce
same different
exclusive combine
exclusive together
strict lenient
manual automatic
open close
left right
positive negative
long short
encode decode
safe dangerous
raw parse
input output
frontend backend
parent child
encourage discourage
zero-based one-based
recognise unrecognised
recognize unrecognized
know unknown
use unused
support unsupported
document undocumented
define undefined
common rare
simple complex
easy hard
sequential concurrent
static dynamic
online offline
deprecate support
nothing everything
strong weak
explicit implicit
warm cold
singular plural
outside inside
visible hidden
continue stop
compatible incompatible
dependent independent
`
  .trim()
  .split('\n')
  .map((line) => line.split(/\s+/).map(stem))

const antonyms = new Map<string, Set<string>>()
for (const [a, b] of opposites)
  if (a !== undefined && b !== undefined)
    for (const [one, other] of [
      [a, b],
      [b, a],
    ] as const) {
      const known = antonyms.get(one) ?? new Set<string>()
      known.add(other)
      antonyms.set(one, known)
    }

const contraries = (stem: string): Set<string> =>
  new Set([stem, ...(synonyms.get(stem) ?? [])].flatMap((word) => [...(antonyms.get(word) ?? [])]))

/** True when one stem says the contrary of the other, or of what means the same. */
export const isAntonym = (a: string, b: string): boolean => contraries(a).has(b) || contraries(b).has(a)

const NUMBERS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    zero: '0',
    two: '2',
    three: '3',
    four: '4',
    five: '5',
    six: '6',
    seven: '7',
    eight: '8',
    nine: '9',
    ten: '10',
    eleven: '11',
    twelve: '12',
    twenty: '20',
    thirty: '30',
    hundred: '100',
    thousand: '1000',
    twice: '2',
    thrice: '3',
    double: '2',
    dozen: '12',
  }),
)

/** The digits of a number word, or null. */
export const numberOf = (word: string): string | null =>
  NUMBERS.get(word.toLowerCase().replace(/(?<=hundred|thousand)s$/, '')) ?? null

/** Units: after a number, another unit is another quantity. */
export const UNITS = new Set(
  `ms millisecond second minute hour day week month year byte kb mb gb kilobyte megabyte gigabyte percent % time symbol bit px`
    .split(' ')
    .map(stem),
)
