/**
 * What the rules listen for: cues in English, Chinese and French, on folded text (lower case, no accents, straight
 * quotes), and what each says. A cue found first blanks what it matched, so the order of the list is part of the rules.
 */

/** What the cues say, before the state makes intents of it. */
export type Act =
  | 'yes'
  | 'no'
  | 'onlyIf'
  | 'but'
  | 'minor'
  | 'pass'
  | 'fail'
  | 'ask'
  | 'inform'
  | 'propose'
  | 'take'
  | 'refuse'
  | 'assign'
  | 'done'
  | 'partial'
  | 'failed'
  | 'doing'
  | 'nothing'

export interface Cue {
  readonly act: Act
  readonly weight: number
  readonly pattern: RegExp
}

export interface Hit {
  readonly act: Act
  readonly weight: number
  readonly at: number
  readonly end: number
}

export interface Mention {
  readonly id: string
  readonly at: number
}

export const STRONG = 0.9
export const FAIR = 0.75
export const WEAK = 0.6
export const FAINT = 0.4
/** Less than any assent, more than a mere question. */
const DENIAL = 0.5

/** What stands in place of a member, a subtask, and what a cue has matched. */
export const MEMBER = '\ue001'
export const SUBTASK = '\ue002'
export const BLANK = '\ue003'

// Building blocks, on folded text: lower case, no accents, straight quotes.

/** A few words between a negation and what it negates; no clause begins in them. */
const GAP = "(?:(?!but |and |because |so |since |if |unless )[a-z'\ue001\ue002]+ ){0,4}?"
const NOT =
  "(?:not|never|cannot|[a-z]+n't|dont|cant|hardly|barely|unable to|refuse to|hesitate to|without|no)"
/** French `ne … pas`, with the words that may stand between. */
const PAS = '(?:pas|plus|jamais|guere|nullement)'
const PEU = '(?: (?:du tout|vraiment|tout a fait|entierement|totalement|trop|tres|encore|si|toujours))?'
const FR_GAP = "(?:(?!mais |et |car |parce |si )[a-z']+ ){0,3}?"
const ZH_NOT = '(?:并?不|没有?|无法|难以|很难|未|不能|没法|别)(?:太|能|能够|是很|怎么|敢|会|想|再|够|完全)?'

export const cues: Cue[] = []

/** Cues in Latin script: whole words. Each line holds alternatives. */
function latin(act: Act, weight: number, alternatives: string): void {
  add(act, weight, `(?<![a-z0-9])(?:${joined(alternatives)})(?![a-z0-9])`)
}

/** Cues in Chinese, which knows no word boundary. */
function chinese(act: Act, weight: number, alternatives: string): void {
  add(act, weight, joined(alternatives))
}

function add(act: Act, weight: number, source: string): void {
  cues.push({ act, weight, pattern: new RegExp(source, 'g') })
}

function joined(lines: string): string {
  return lines.replace(/\n */g, '|')
}

// 1. Words that only look like a cue.
latin('nothing', 0, `not only|le but|ce but|dans le but|au but|pour but|no matter|no longer`)
latin('minor', 0, `minor|small note|tiny|nit|nitpicks?|non-blocking|not blocking|nothing blocking`)
latin('minor', 0, `petit detail|petite remarque|detail mineur|rien de bloquant|non bloquant`)
chinese('minor', 0, `小建议|小问题|小细节|不影响`)

// 2. Denied objections: they agree.
latin(
  'yes',
  STRONG,
  `(?:could|can) ?not agree more|(?:could|ca)n't agree more
   ${NOT} ${GAP}(?:objections?|reservations?|concerns?|complaints?|disagree|disagreement|object(?: to)?|oppose|opposed|against)
   (?:no|not|never|without|see no|find no|found no|[a-z]+n't) ${GAP}(?:problems?|issues?|errors?|defects?|faults?|mistakes?|bugs?|flaws?)(?: (?:with|in|found|left|here|remaining|whatsoever))?
   no (?:[a-z]+ )?(?:changes?|corrections?|edits|modifications?|revisions?|adjustments?)(?: (?:are |is )?(?:needed|required|necessary|requested))?
   (?:nothing|nobody|no one) (?:against|wrong|missing|to add|to change|to fix|to improve|to object|to complain|objects|is against)
   no (?:further )?(?:comments?|remarks?)|no worries|won't stand in the way|won't block|no (?:[a-z]+ )?reasons? to (?:object|reject|refuse|oppose|block|doubt)|not (?:too |so |half )?bad
   (?:don't|do not|wouldn't|would not) mind|zero (?:objections|concerns|issues)
   concerns? (?:is|are|were|was|have been) (?:addressed|resolved)`,
)
latin('yes', WEAK, `why not|pourquoi pas|can't see why not|don't see why not`)
latin(
  'yes',
  STRONG,
  `(?:aucune?|pas d'|pas de|sans|plus d'|plus de|nulle) ?(?:autres? )?(?:changements?|modifications?|corrections?|objections?|oppositions?|reserves?|remarques?|problemes?|inconvenients?|soucis?|erreurs?|defauts?|reproches?)
   rien (?:a|de) (?:changer|corriger|modifier|genant|bloquant|redire|signaler|ajouter|dire|reprocher|particulier|objecter)
   (?:n'ai|avons|n'avons|ai) rien (?:contre|a redire|a ajouter)
   (?:ne |n'|me |m')?(?:suis|sommes|oppose) ${PAS}${PEU} (?:contre|oppose[es]*|hostile|en desaccord)
   (?:ne |n')?(?:m'y |m')oppose ${PAS}|n'y vois pas d'inconvenient|ne dis pas non`,
)
chinese(
  'yes',
  STRONG,
  `不(?:得|能)不(?:同意|赞成|承认|支持)
   (?:并?没有?|毫?无|未见?|不存在|没什么|没啥)(?:发现)?(?:任何|什么|其他|别的|明显的?)?(?:反对)?(?:意见|异议|问题|疑问|疑义|错误|缺陷|毛病)
   不(?:会|再)?反对|没啥(?:意见|问题)|(?:没有?|无)(?:什么)?(?:要|需要?)(?:再)?(?:改|修改|补充|调整)的?|挑不出(?:毛病|问题|错)?`,
)

// 3. Denied agreement, and refusals.
latin(
  'onlyIf',
  STRONG,
  `only if|only when|provided(?: that)?|on (?:the )?condition(?: that)?|as long as|so long as|unless
   (?:would|i'd)(?= (?:[a-z]+ ){1,4}if )
   conditional(?:ly)?`,
)
latin(
  'onlyIf',
  STRONG,
  `a condition (?:que|de|d')|sous reserve|seulement si|uniquement si|a moins que|pourvu qu(?:e|')|(?:serais|serions|soutiendrais|accepterais)(?= (?:[a-z']+ ){0,3}s(?:i |'))`,
)
chinese(
  'onlyIf',
  STRONG,
  `前提是|除非|只有.{1,12}才|条件是|(?:只要|如果|假如|若).{1,20}(?:就|才|便|则)|有条件(?:地)?`,
)

latin(
  'refuse',
  STRONG,
  `${NOT} (?:\ue002|${GAP}(?:take|pick up|handle|own|do|accept|manage|cover|tackle|commit))(?: (?:it|this|that|on|this one|that one|to))?(?= |$|[.,;!]|\ue002)(?= ?(?:\ue002|[.,;!\\n]|$|one|task|on|right|now|because|at|as|it|this|that|today))
   ${NOT} ${GAP}(?:the )?(?:capacity|bandwidth|time|skills?|expertise|access)(?: (?:to|for|right now))?
   not me|(?:outside|beyond|exceeds) (?:what i|my)(?: can(?: do)?)?|(?:i'm|i am|i'll be) (?:away|on leave|on holiday|on vacation|out of office|travelling|traveling)|i (?:cannot|can't|won't|will not)(?= ?(?:[.,!;]|$))|(?:too much|enough|a lot) on my plate|my (?:hands|plate) (?:are|is) full|have to pass|(?:not|isn't|outside) my (?:area|field|thing|expertise)
   (?:i )?(?:must |have to |will |would like to )?(?:decline|turn (?:it|this|that|\ue002) down|pass on|give (?:it|this|that|\ue002) back|hand (?:it|this|that|\ue002) back)
   (?:someone|somebody|anyone) else|(?:i'd|i would) (?:rather|prefer) not(?: (?:to )?[a-z]+)?
   (?:i'm|i am|we are|we're) (?:too busy|overloaded|swamped|fully booked|at capacity|not available|unavailable|not the right [a-z]+)`,
)
latin(
  'refuse',
  STRONG,
  `(?:peux|pourrai|veux|souhaite|vais|saurais|pourrais|peut) (?:pas|plus)(?: (?:le|la|les|me|m'|m'en|en))? ?(?:prendre|charger|occuper|faire|assumer|accepter|realiser|\ue002|m'occuper|m'en occuper|m'en charger)
   (?:quelqu'un|un) d'autre|(?:n'ai|ai) (?:[a-z]+ )?pas (?:le temps|les moyens|la capacite|les competences|acces)
   pas moi|je (?:refuse|decline|rends|passe mon tour)|(?:deborde|surcharge)e?|pas disponible|pas dans mes cordes|(?:depasse|au-dela de) (?:mes|ma|mon)|impossible (?:pour moi )?(?:de|d')(?= ?(?:\ue002|prendre|faire|m'))|(?:suis|serai) (?:absente?|en conge)|hors de (?:ma portee|mes competences)|pas mon (?:domaine|metier)`,
)
chinese(
  'refuse',
  STRONG,
  `(?:做|接|干|负责|完成|处理)不了|我(?:现在|目前|最近)?(?:不|没法|无法|不能|不想|不愿意?|不便|不方便)(?:想|能|再|太想)?(?:接|做|承担|负责|参与)
   (?:任务|活|工作|\ue002) ?我?(?:不|没法|无法|不能|不想|不愿意?)(?:想|能)?(?:接|做|承担|负责)|没(?:有)?(?:时间|空|精力|人手)
   (?:换|找|请|让)(?:其他|别的?)(?:人|成员|同事)|忙不过来|超出(?:了)?我|出差|请假|休假|在外地|(?:事情|任务|工作)太多|不擅长|不熟悉|没把握|退回(?:给)?|婉拒|拒绝(?:接受|承担)`,
)

latin(
  'no',
  STRONG,
  `(?:not|never|cannot|[a-z]+n't|dont|cant|hardly|unable to|refuse to|no way) ${GAP}(?:agree|support|accept|endorse|back|go along|vote for|in favou?r|on board|convinced|persuaded|work|happy|comfortable|a good idea|good idea|the right|right|acceptable|good enough|enough|sufficient|feasible|do it (?:this|that) way|want this|realistic|make sense|like)(?: with)?
   disagree[ds]?|i (?:strongly |must |have to |do )?object|objection
   (?:i am|i'm|we are|we're) (?:strongly )?(?:against|opposed)|oppose|veto
   (?:vote|voting) (?:no|against)|-1|a bad idea|bad idea
   push(?:ing)? back|vote[ds]? no|overlooks?|ignores?|leaves no
   too (?:risky|expensive|complex|complicated|slow|vague|early|broad|much|costly)
   reject(?:ed)? (?:this|the|that) (?:proposal|plan|idea)`,
)
latin(
  'no',
  WEAK,
  `not sure|unsure|sceptical|skeptical|doubt|(?:have|some|serious) (?:concerns|reservations|doubts)
   too (?:tight|long|short|high|low|large|small|soon|late|many|few)|worried|my concern|problem is|missing|nope`,
)
add('no', STRONG, '^ ?(?:no|non|nope)(?=[ ,.!;:]|$)')
latin(
  'no',
  STRONG,
  `${PAS} ${FR_GAP}(?:d'accord|convaincue?s?|favorables?|partant[es]*|pour|acceptable|realiste|faisable|une bonne idee|bonne idee|la bonne [a-z]+|le bon [a-z]+|suffisante?s?|judicieux|adaptee?)
   (?:peux|saurais|pourrais|souhaite|veux|pouvons) ${PAS}(?: l'| le| la| les)? ?(?:soutenir|accepter|approuver|adopter|appuyer|cautionner|adherer|voter)
   (?:n'approuve|ne soutiens|n'accepte|ne partage|n'adhere|n'aime) ${PAS}|(?:m'y |m')oppose
   (?:suis|sommes|vote) (?:resolument |totalement )?contre|desaccord|desapprouve|mauvaise idee
   inacceptable|irrealiste
   trop (?:risquee?|chere?|cher|couteux|couteuse|complexe|complique|vague|lent|tot|long|eleve)
   objection`,
)
latin(
  'no',
  WEAK,
  `inutile|(?:des|de|serieuses|quelques|plusieurs|fortes|grosses) reserves|trop [a-z]+|j'ai (?:un |des )?doutes?|je doute|m'inquiete|sceptique|pas sure?`,
)
chinese(
  'no',
  STRONG,
  `${ZH_NOT}(?:同意|赞成|支持|认可|认同|接受|赞同|可行|合适|合理|妥当?|现实)|反对|行不通|(?<![可进一])不行|不可取|不敢苟同|有(?:异议|意见|不同意见|不同看法)
   同意不了|不是(?:个|一个)?好(?:主意|办法|方案)|(?:风险|成本|代价)(?:太|过)(?:大|高)|投?反对票|说不通|站不住脚`,
)
chinese(
  'no',
  WEAK,
  `保留意见|有(?:所)?(?:疑虑|顾虑|担心|担忧|疑问)|恐怕|不确定|(?:太|过于)(?:紧|贵|长|短|慢|复杂|冒险|高|急|乐观|笼统|模糊|大|多|少)|需要(?:再)?(?:调整|修改|讨论|考虑)|不妥|我担心`,
)

// 4. Work: what failed, is under way, is done in part. All before `done`.
latin(
  'doing',
  STRONG,
  `(?:not|isn't|aren't|hasn't been|haven't|hasn't|still not) (?:quite |yet |been |fully |all )*(?:finished|done|complete|completed|ready)(?: yet| with)?(?=.{0,40}(?:yet|still|need|almost|hour|day|minute|soon|more|remain|running))
   not (?:quite )?(?:finished|done|complete|ready) yet|(?:haven't|have not|not) (?:yet )?started
   (?:haven't|have not|hasn't|has not) (?:yet )?(?:finished|completed|been finished)|not (?:there )?yet`,
)
latin(
  'failed',
  STRONG,
  `(?:(?:could|can|was|were|am|did) ?not|(?:could|ca|was|were|did)n't) ${GAP}(?:finish|complete|finished|deliver|solve|do it|get it|able to [a-z]+|make it|succeed|possible)
   cannot (?:finish|complete|deliver|solve)|(?:unable|not able) to (?:[a-z]+)
   didn't (?:work|succeed|manage)|did not (?:work|succeed|manage)
   (?:i|we|it|\ue002|task|attempt|this|build|job) (?:has |have )?failed(?: to [a-z]+)?
   failed to (?:finish|complete|deliver|produce|do)|gave up|give up|had to (?:stop|abort|quit)|nothing (?:could|was)|giving up|(?:it )?is impossible
   without success|^ ?failed|failure:|blocked|blocker|stuck|(?:no output|nothing) could be|cannot proceed|can't proceed`,
)
latin(
  'failed',
  STRONG,
  `(?:n'ai|n'a|n'avons|ai) pas (?:pu|reussi|su)(?: a)?(?: [a-z]+)?
   n'(?:est|etait) pas (?:possible|faisable)|n'a pas ete possible|impossible (?:de|a|d')|n'arrive pas a
   echec|echoue[es]*|incapable de|sans succes|j'abandonne|abandonner|du m'arreter|rien n'a|(?:suis|reste) bloquee?`,
)
latin(
  'doing',
  STRONG,
  `${PAS} encore (?:tout a fait )?(?:fini|termine|acheve|pret|fait|complet)(?:e|s|es)?
   (?:ai|est|suis) pas (?:fini|termine|acheve)(?:e|s)?|pas encore`,
)
chinese(
  'doing',
  STRONG,
  `(?:还|尚|仍|暂)(?:没有?|未)(?:完全)?(?:做完|完成|写完|结束|搞定|弄完|弄好|做好)|没(?:做|写|弄|跑)完`,
)
chinese(
  'failed',
  STRONG,
  `(?:没有?能?|未能?|没法|无法|不能|未)(?:够|按时|顺利|成功)?(?:完成|做到|实现|交付|解决|成功|做成)|失败|做不到|完成不了|没成功|放弃|卡住|无法继续|报错退出`,
)
latin(
  'partial',
  STRONG,
  `partial(?:ly)?(?: (?:done|complete|completed|finished|result|results))?
   (?:only|just) (?:half|part|some|one|two|three|parts)(?: of [a-z]+)?
   (?:part|half) of (?:it|this|the work|the task|\ue002)(?: is| are)? ?(?:done|finished|complete)?
   half done|(?:only |just |through |about )*half (?:of )?the [a-z]+|what i could|had to be (?:dropped|skipped|left out|cut)|with (?:some )?gaps|incomplete|mostly (?:done|complete|finished)`,
)
latin(
  'partial',
  STRONG,
  `partiel(?:le|lement|s|les)?(?: (?:fait|termine|acheve|fini)(?:e|s)?)?|en partie
   la moitie (?:des|du|de la|de l')(?: ?[a-z]+)?|(?:seule(?:ment)?|que) (?:la moitie|une partie|les? [a-z]+ premi[a-z]+)(?: (?:du|de la|des|de) [a-z]+)?(?: (?:est|sont) (?:fait|termine|fini|acheve|pret)[es]*)?
   (?:a moitie|a demi) (?:fait|termine|fini)e?s?|qu'(?:une (?:petite )?partie|a moitie)|incomplete?s?`,
)
chinese('failed', WEAK, `没有?(?:做|跑|写|处理)(?!完)`)
chinese(
  'partial',
  STRONG,
  `部分(?:地)?完成|(?:只|仅)(?:完成|处理|做完|做|写|跑)了?(?:一?部分|一半|[一二三四五六七八九十\\d]+[个项章节步])?|完成了(?:一?部分|一半|大部分|一些)
   一部分(?:已经)?(?:完成|做完)|部分结果`,
)

// 5. Review.
latin(
  'fail',
  STRONG,
  `(?:not|never|cannot|[a-z]+n't|unable to) ${GAP}(?:approve|accept|sign off|ready|pass|passed|approved|accepted|acceptable|correct|complete|finished|done|meet|verified|good|convincing|there yet|up to)(?: on| the)?
   need(?:s|ing)? (?:more |some |further |a lot of |to be )?(?:work|rework|changes|revision|redone|fixing|fixed|reworked|revised|corrected|rewriting|rewritten|corrections?|improvements?)
   (?:must|should|has to|have to) be (?:redone|fixed|reworked|corrected|rewritten|revised|changed|removed|repeated)
   redo|rework|(?:do|does)(?: not|n't) (?:add up|match|hold|follow|cover|work|address|answer|support|compile|run|meet)|still needs?|reject(?:ed|ing)?|send(?:ing)? (?:it|this|\ue002) back
   please (?:fix|redo|correct|revise|rewrite)|changes requested|requesting changes|unacceptable
   insufficient|falls short|skips|omits|leaves out`,
)
latin(
  'fail',
  WEAK,
  `wrong|incorrect|inaccurate|contradicts?|errors?|bugs?|broken|mistakes?|missing|lacks?|lacking
   unsupported|uncited|incomplete|fails?|flawed|crash(?:es)?|doubtful|unclear|issues?|problems?`,
)
latin(
  'fail',
  STRONG,
  `${PAS} ${FR_GAP}(?:validee?s?|approuvee?s?|conformes?|acceptables?|satisfaisante?s?|correcte?s?|termine[es]*|prete?s?|suffisante?s?|bon(?:ne)?s?|complete?s?|a la hauteur|au point|valable|juste)
   (?:ne |n'|peux |saurais |pouvons |puis )?(?:valide|approuve|accepte|valider) ${PAS}
   (?:peux|saurais|puis|pouvons) ${PAS}(?: l'| le| la| les)? ?(?:valider|approuver|accepter)
   non conformes?|a (?:refaire|revoir|corriger|reprendre|completer|retravailler|reecrire|ameliorer)
   (?:faut|doit|doivent|devrait)(?: etre)? (?:tout )?(?:refaire|revoir|corriger|reprendre|refaite?s?|revue?s?|corrigee?s?|reprise?s?)
   je rejette|rejete[es]*|insuffisante?s?|inacceptables?`,
)
latin(
  'fail',
  WEAK,
  `(?:ne |n')[a-z]+ pas|il manque|manquent?|manquante?s?|erreurs?|fausse?s?|faux|incorrecte?s?|inexacte?s?|incoherente?s?
   lacunes?|sous silence|omet|oublie|contredit|problemes?`,
)
chinese(
  'fail',
  STRONG,
  `${ZH_NOT}(?:通过|合格|达标|过关|批准|验收|符合(?:要求)?|满足(?:要求)?|令人满意|满意)|返工|重(?:新)?(?:做|写|来|算|计算|跑|修改|整理|编写|检查|提交)
   打回|驳回|退回|(?:需要?|必须|有待|请)(?:再)?(?:修改|改进|完善|更正|修正|修复|补充|改正)`,
)
chinese(
  'fail',
  WEAK,
  `有(?:错误?|误|问题|漏洞|缺陷|遗漏|矛盾|bug)|错误|缺(?:少|失|乏)|遗漏|不(?:完整|正确|准确|清楚|一致|够|足|对|符|严谨)|对不上|站不住脚|漏(?:了|掉)|不足`,
)

latin(
  'pass',
  STRONG,
  `lgtm|looks? (?:very |really |all |pretty )?(?:good|great|fine|solid|excellent|right|correct|ok)
   approve[ds]?|i accept(?: (?:it|this|the (?:work|result|results)))?|accepted|sign(?:ing)? off
   signed off|(?:checks|checked) out|pass(?:es|ed)? (?:review|the review)|^ ?pass(?:ed)?|verified
   good to go|(?:exactly |just )?what (?:we|i|you) (?:asked for|wanted|needed)|recommend (?:acceptance|accepting|approval|approving)|ready to (?:ship|go|merge|publish|release)|meets? (?:the|all|our|every) [a-z]+|well done
   ship it`,
)
latin(
  'pass',
  WEAK,
  `excellent|great (?:job|work)|good (?:job|work)|nice(?:ly)?(?: work| job)?|correct|fine|solid
   complete|satisfied|all good|convincing|pass(?:ed|es)?|as required|done`,
)
latin(
  'pass',
  STRONG,
  `(?:je |nous |on )?valide(?:e|s|es|ons)?|(?:j'|nous )?approuve(?:e|s|es|ons)?
   (?:j'|c'est |est )accepte(?:e|s)?|conformes?(?: a (?:la|ce|ces|nos|l')[a-z' ]{0,20})?
   rien a (?:redire|signaler)|c'est (?:tout )?bon|tout est (?:bon|correct|en ordre|complet)
   bon pour moi|exactement ce qu(?:e|')|recommande (?:l'acceptation|la validation|de valider|d'accepter)|feu vert`,
)
latin(
  'pass',
  WEAK,
  `(?:tres |du )?(?:bon|beau|excellent) travail|parfait[es]*|impeccable|satisfaisante?s?|correcte?s?
   c'est (?:tres )?bien|bien fait|bravo`,
)
chinese(
  'pass',
  STRONG,
  `(?:审核|审查|评审|验收|检查|测试)?通过|合格|达标|可以(?:验收|发布|上线|交付|合并|通过|过)|批准|符合(?:要求|预期|标准)|满足要求|正是(?:我们)?|认可`,
)
chinese(
  'pass',
  WEAK,
  `(?:做得|写得|质量)?(?:很|非常|挺|相当)(?:好|棒|不错|完善|清楚|完整)|不错|满意|优秀|没毛病|正确|(?:已经?)?完整`,
)

// 6. Proposals.
latin(
  'propose',
  STRONG,
  `(?:i|we)(?:'d| would)?(?: like to| want to| therefore| hereby)? (?:propose|suggest|recommend)
   (?:counter-?proposal|proposal|suggestion|proposed plan|plan) ?:
   (?:my|our|a|another|an alternative|a better|the) (?:counter-?)?(?:proposal|suggestion|plan)(?= ?(?:is|would|:|\\n))
   (?:here(?:'s| is)|this is) (?:a|an|my|our|the|what i)(?: [a-z]+)? (?:plan|proposal|suggestion|approach|propose|suggest|outline)
   let me (?:propose|suggest)|my (?:recommendation|idea|approach|preference)(?= (?:is|would))|how i(?:'d| would)|(?:may|can|could) i (?:propose|suggest)|(?:^|\\n)#* ?(?:proposed )?(?:plan|proposal)(?=\\n)
   instead,? (?:we|let us|let's|i)|how about|what if we|why don't we|shall we`,
)
latin(
  'propose',
  WEAK,
  `let's|let us|we (?:should|could|can|might|ought to|need to)|the (?:best|first|simplest|easiest|safest) (?:step|approach|way|thing|option)|i think we|one option
   step 1|first,`,
)
latin(
  'propose',
  STRONG,
  `je (?:vous |te |nous )?(?:propose|suggere|recommande|preconise)(?: (?:de|d'|que|qu'))?
   (?:nous proposons|on propose|je proposerais|je suggererais)
   plan propose|demarche suivante|recommandation ?:|comment je (?:m'y |ferais|procederais)|(?:mon|ma) (?:idee|recommandation|approche)(?= (?:est|serait))
   (?:ma|une|notre|contre-)(?: autre| nouvelle| contre-)? ?(?:proposition|suggestion)(?= ?(?:est|serait|:|\\n))
   proposition ?:
   (?:voici|voila) (?:mon|un|le|notre|ma|une)(?: [a-z]+)? (?:plan|proposition|approche|suggestion)
   et si (?:on|nous|l'on)|pourquoi ne pas|plan ?:`,
)
latin(
  'propose',
  WEAK,
  `(?:on|nous) (?:pourrait|pourrions|devrait|devrions|peut|pouvons)|(?:il )?(?:faudrait|faut)
   commencons|d'abord|le (?:mieux|plus simple|plus sur|plus rapide) (?:est|serait)|je pense qu(?:e|')|mieux vaut`,
)
chinese(
  'propose',
  STRONG,
  `(?:我|我们|本人)(?:的)?(?:建议|提议|提出|推荐|提案)|(?:我|我们)?(?:另|还)?有(?:一|另一?)?个(?:更好的)?(?:方案|建议|想法|提议|计划)
   (?:我的?|我们的?|新的?|具体|初步|替代)?(?:方案|计划|提案|步骤|提议|思路)(?:如下|是|[::])|(?:我的)?(?:想法|思路)是|这样(?:安排|做|来)(?=[:,])|不如|要不要先|要不(?!要)|(?:^|[,。\\n])(?:建议|提议)`,
)
chinese(
  'propose',
  WEAK,
  `我们?(?:可以|应该|应当|需要|最好)(?:先)?|(?:咱们|我们)先|可以(?:先|考虑)|(?:咱们|我们)?先.{1,20}(?:再|然后)|首先|应该先|最好`,
)

// 7. Who works.
latin(
  'assign',
  STRONG,
  `assign(?:ing|ed)? \ue002 to \ue001|assign(?:ing)? \ue001 (?:to )?\ue002
   (?:give|hand|delegate) \ue002 to \ue001
   \ue001,? (?:please |could you |can you |would you |will you |should |could |can |would |will |must |has to |is to |to |may )*(?:please )?(?:take|takes|do|does|handle|handles|own|owns|pick up|picks up|\ue002|write|run|cover|work on|works on|look after|be responsible)
   \ue001 (?:is|will be|should be|would be) (?:the )?(?:responsible|best|right|in charge|owner)
   \ue002 ?(?::|->|=>|=|goes to|is for|for|to|should go to) ?@?\ue001|@\ue001 ?(?::|->|=>)? ?\ue002
   \ue001 ?(?:->|=>|:) ?\ue002|let \ue001`,
)
latin(
  'assign',
  STRONG,
  `\ue001,? (?:pourrait|devrait|peut|doit|va|pourrais-tu|peux-tu|pouvez-vous|tu peux|merci de|s'il te plait|svp)? ?(?:(?:de |d')?(?:te |vous )?(?:prend|prends|prendre|\ue002|faire|fait|realiser|s'occuper|s'occupe|se charger|se charge|t'occuper|te charger|assurer|traiter))
   (?:confie|confier|confions|attribue|attribuer|assigne|assigner|donne|donner|affecte|affecter) \ue002 a \ue001
   \ue002 (?:a|pour|revient a|va a) \ue001`,
)
chinese(
  'assign',
  STRONG,
  `(?:请|让|由|叫|派|安排) ?@?\ue001 ?(?:来|去)?(?:做|负责|处理|完成|承担|接|写)?
   \ue002 ?(?:就)?(?:交给|分配给|给|由|归|派给) ?@?\ue001|把 ?\ue002 ?(?:交给|分配给|给|派给) ?@?\ue001
   \ue001 ?,?(?:你)?(?:来|去|可以|应该|应当|能)?(?:来|去)?(?:做|负责|处理|承担|接手|接)`,
)
latin(
  'take',
  STRONG,
  `(?:i'll|i will|i can|i could|i'd|let me|i am going to|i'm going to|ill)(?: gladly| happily| also| then| definitely| like to| love to| be happy to| be glad to)? (?:take|do|handle|pick up|own|start(?: on| with)?|work on|tackle|cover|\ue002|write|deal with|be responsible|look after|test|run|build|draft|prepare|implement)(?: care of)?
   (?:happy|glad|pleased|willing|ready) to (?:take|do|handle|pick up|own|help|tackle|cover|work on)(?: on)?
   i volunteer|count me in|leave (?:it|this|that|\ue002)(?: up)? to me|i'm on it|on it|i can take care|i'm taking
   (?:is |are )?mine|i (?:accept|take|claim|am taking)|i've got (?:it|this|\ue002)|taking
   assign (?:it |this |\ue002 )?to me|dibs`,
)
latin(
  'take',
  STRONG,
  `je (?:le |la |les )?(?:prends|prendrai|ferai|fais)
   je (?:m'en|m'|me) ?(?:occupe|occuperai|charge|chargerai)
   je (?:vais|peux|veux bien|veux|pourrais) (?:le |la |les |m'|me |m'en |en )?(?:prendre|faire|occuper|charger|\ue002|tester|ecrire|rediger|realiser|traiter|assurer|commencer)
   (?:comptez|compte) sur moi|pour moi|je suis (?:volontaire|partante?)
   (?:j'accepte|je me porte volontaire)|laissez?(?:-moi|-le-moi)`,
)
chinese(
  'take',
  STRONG,
  `我(?:来|去|可以|能|愿意|会|想|将|先)?(?:来|去)? ?(?:做|负责|处理|\ue002|写|接(?!受)|承担|领|认领|搞定|测试?|承接|接手)|(?:交|留)给我|算我一个|我来|我领了|归我|我包了|算我的|收到|马上(?:开始|做|去)
   我(?:接受|承接)`,
)

// 8. Done, and under way.
latin(
  'doing',
  STRONG,
  `(?:still |currently |now )?working on(?: it)?|in progress|halfway|half way
   still (?:running|testing|writing|going|need|have|busy|waiting)|so far
   (?:almost|nearly) (?:done|finished|there|complete|ready)
   need (?:more|another) (?:time|hour|day|week|minute)s?|need [a-z]+ more (?:hours?|days?|minutes?)
   status update|under way|underway|(?:quick |short |brief )?update ?:|(?:i'm|i am|we're|we are|currently|now) (?:at|around|about)(?= \\d)|(?:have|just) started|(?:just )?(?:getting|got) started|started on|just begun|(?:does not|doesn't|do not|don't|cannot|can't) yet|progress ?:`,
)
latin(
  'doing',
  WEAK,
  `\\d+ (?:out )?of (?:the )?\\d+|(?:i am|i'm|we are|we're) (?:now |currently )?[a-z]{2,14}ing|next,? i|continuing|soon`,
)
latin(
  'doing',
  STRONG,
  `en cours(?: de [a-z]+)?
   (?:je |nous )(?:travaille|travaillons|continue|poursuis|termine|avance)(?: encore)?
   j'en suis (?:a|au)|(?:il )?(?:me|nous) reste|point d'etape|(?:\\d+|deux|trois|quatre|cinq|six) [a-z]+ sur (?:\\d+|deux|trois|quatre|cinq|six|sept|huit|neuf|dix)
   presque (?:fini|termine|pret|acheve)e?s?|avancement
   j'ai (?:commence|demarre)|bientot|viens de (?:commencer|demarrer)|encore (?:besoin|une? (?:heure|jour|semaine|minute)|deux)`,
)
chinese(
  'doing',
  STRONG,
  `正在|进行中|(?:目前)?(?:进度|进展)(?:到|为|是|[::])?|处理中|还在|还(?:需要?|要|差|剩)|预计|快(?:要)?(?:做|写|完)(?:完|成|好)?了
   继续(?:做|写|处理)|刚(?:刚)?(?:开始|着手)|着手|还不(?:行|能|可以)|已经?开始`,
)
latin(
  'done',
  STRONG,
  `(?:all |task |it's |it is |is |\ue002 )?done(?: with)?|(?:i )?(?:have |'ve )?(?:finished|completed)
   (?:is|are|now) (?:now )?(?:complete|finished|ready|done)
   (?:final |the |my )?(?:results?|output|answer|deliverable|findings|summary|report) ?(?:is |are )?:
   (?:here(?:'s| is| are)|below (?:is|are)|attached (?:is|are)|please find) (?:the|my|your|our|a|what)(?: [a-z]+){0,2}
   complete[.!]?$|delivered|accomplished|this concludes`,
)
latin(
  'done',
  WEAK,
  `i(?:'ve| have) (?:written|built|tested|added|checked|implemented|fixed|created|prepared|collected|[a-z]{3,12}ed)
   attached|i found|(?:has|have|is|are|was|were)(?: now| all| both)* (?:been )?(?:written|built|tested|added|checked|implemented|fixed|created|prepared|processed|updated|drafted|published)|in summary|in conclusion|we found`,
)
latin(
  'done',
  STRONG,
  `c'est (?:fait|fini|termine|pret|bon)
   (?:est |sont |j'ai |ai |tache |travail |tout est )?(?:termine|fini|acheve)(?:e|s|es)?
   (?:est|sont) (?:prete?s?|faite?s?|complete?s?)
   (?:voici|voila|ci-dessous|ci-joint)(?: (?:le|la|les|mon|ma|mes|un|une|l'))?
   (?:resultats?|reponse|conclusion|synthese) ?:|livre[es]*|accompli[es]*|(?:est|sont|a ete|ont ete) (?:maintenant |tous |toutes )?(?:redige|ecrit|teste|corrige|prepare|publie|traite|realise|effectue|relu|verifie)[es]*`,
)
latin(
  'done',
  WEAK,
  `j'ai (?:redige|ecrit|teste|corrige|prepare|ajoute|verifie|cree|collecte|realise)|en resume
   en conclusion`,
)
chinese(
  'done',
  STRONG,
  `(?:已经?)?(?:全部)?(?:完成|做完|写完|搞定|完工|弄好|做好|写好|测完|整理好|交付)(?:了)?|(?:最终)?(?:结果|报告|答案|结论|总结)(?:如下|见|是|[::])
   以下(?:是|为)|(?:全部|都)(?:好|完)了|已交付`,
)
chinese('done', WEAK, `我(?:已经?)?(?:写|做|测试|整理|修复|收集|检查)了|综上|总之|(?:已经?)(?:写|修|测|整理)`)

// 9. Plain agreement, after all that could have made use of its words.
latin(
  'yes',
  STRONG,
  `(?:i |we |i'd |fully |strongly |totally |completely )*agreed?
   (?:i |we )?(?:fully |strongly |gladly )?(?:support|endorse|approve)(?: (?:this|that|it|the))?|(?:i|i'll|we) (?:fully |strongly |gladly |will )?(?:back|second)(?: (?:this|that|it|the))?
   (?:sounds|seems|is|that's|looks) (?:good|great|fine|reasonable|right|sensible|like a plan)(?: to me)?
   works for me|(?:i'm|i am) (?:now |fully )?convinced|fine (?:by|with) me|in favou?r|i(?:'m| am) (?:for|with) (?:it|this|that|you|\ue001)
   (?:fully |i'm |i am |totally )?on board|let's (?:do|go for|go with) (?:it|this|that)|\\+1|aye|yes
   yep|yeah|go ahead|(?:vote|voting) (?:yes|for|in favou?r)|good (?:idea|plan)|great (?:idea|plan)`,
)
latin(
  'yes',
  WEAK,
  `ok|okay|sure|fine|agrees|good|great|absolutely|definitely|of course|certainly|i like|let's go`,
)
latin(
  'yes',
  STRONG,
  `(?:tout a fait |entierement |pleinement |suis )*d'accord
   (?:suis|sommes|vote) (?:plutot |tout a fait )?(?:pour|favorable|partante?)
   (?:je |nous )?(?:soutiens|soutenons|appuie|appuyons|adhere)
   ca me (?:va|convient|parait (?:bien|bon))|cela me (?:va|convient|parait (?:bien|bon))|me convient
   (?:c'est |tres )?(?:une )?(?:bonne|excellente) idee|allons-y|on y va|oui|entendu|adopte[es]*`,
)
latin('yes', WEAK, `parfait[es]*|volontiers|bien sur|j'aime|tres bien|ca marche|super|pour moi`)
chinese(
  'yes',
  STRONG,
  `同意|赞成|赞同|支持|认同|附议|可行|就(?:这么|这样|按这?个?)(?:办|定|做|来)?|好主意|按(?:这个|此)(?:方案|计划)?(?:来|执行|办)|好主意|一致`,
)
chinese('yes', WEAK, `好的|(?:^|[,。!])可以|行(?=[,。!]|$)|不错|^好|没错|是的|接受`)

latin('no', WEAK, `(?:does|do)(?: not|n't) [a-z]+|(?:ne |n')[a-z]+ pas`)
// A denial of whatever kind: no cue of its own, but no assent either.
latin(
  'no',
  DENIAL,
  `not|no|never|cannot|[a-z]+n't|nor|nowhere|unfortunately|sadly|regrettably|afraid
   non|pas|aucune?|jamais|malheureusement|helas`,
)
chinese('no', DENIAL, `不|没|未(?!来)|遗憾|可惜|抱歉`)

// 10. Turns of the argument, questions, and plain information.
latin('but', 0, `but|however|although|except(?: for| that)?|though|yet`)
latin('but', 0, `mais|toutefois|cependant|neanmoins|sauf|en revanche|par contre`)
chinese('but', 0, `但是?|不过|可是|然而|只是|除了|却`)
latin(
  'inform',
  STRONG,
  `fyi|for (?:your information|context|reference|the record)|note that|(?:just )?so you know
   background ?:|according to|as far as i know|for information
   pour (?:info|information|memoire|rappel|contexte)|a noter(?: que)?|sachez que|d'apres|selon
   je (?:vous )?(?:precise|signale|rappelle)`,
)
chinese(
  'inform',
  STRONG,
  `供(?:大家)?参考|补充(?:一点|一下|说明)?|背景(?:信息)?[::]|据(?:我|统计|了解|说|报道|悉)|说明一下|顺便(?:说|提)`,
)
chinese('ask', STRONG, `(?:吗|么|呢)(?=[。!~]? ?(?:\\n|$))`)
chinese(
  'ask',
  FAIR,
  `(?<![没有任])什么|怎么(?:样|做|办)?|如何|为什么|为何|谁|哪(?:个|些|里|儿|种|一)|多少|多久|几(?:个|天|次)|是否|有没有|是不是|能不能|可不可以`,
)

export const QUESTION_START = new RegExp(
  `^ ?(?:(?:and|so|but|also|et|alors),? )?(?:${[
    '(?:what|who|whom|whose|which|how|why|when|where)(?: [a-z]+)? (?:is|are|was|were|do|does|did|can|could|should|shall|will|would|has|have|many|much|long|often|far)(?![a-z])',
    '(?:who|what) [a-z]+s?(?![a-z])(?<!what a|what an)',
    "(?:can|could|would|will|does|do|did|is|are|was|were|has|have|should)(?:n't)? (?:anyone|anybody|someone|somebody|you|we|they|it|there|the|this|that|everyone)(?![a-z])",
    'est-ce qu',
    'which (?:of|one)(?![a-z])',
    '(?:lequel|laquelle|lesquels|lesquelles)(?![a-z])',
    '[^.!?]{0,60}[a-z]-(?:t-)?(?:il|elle|ils|elles|on)(?![a-z])',
    "qu'est-ce",
    'quel(?:le)?s?(?![a-z])',
    '(?:a quel|de quel|dans quel|pour quel)',
    '(?:qui|comment|pourquoi|combien)(?![a-z])(?! pas)',
    'ou (?:est|sont|se)(?![a-z])',
    '(?:avez|pouvez|savez|faut|peut|doit|y a|a|sait|devons|pouvons)-(?:t-)?(?:vous|on|il|elle|nous)(?![a-z])',
    "quelqu'un (?:sait|connait|a|peut|pourrait)",
  ].join('|')})`,
)

/** What can be meant in a state at all: cues for anything else are not looked for, so they blank nothing. */
export const MEANT: Readonly<Record<string, ReadonlySet<Act>>> = {
  discussion: new Set<Act>(['nothing', 'propose', 'ask', 'inform']),
  proposal: new Set<Act>([
    ...(['nothing', 'yes', 'no', 'onlyIf', 'but', 'minor', 'pass', 'fail'] as const),
    ...(['refuse', 'propose', 'ask', 'inform'] as const),
  ]),
  assign: new Set<Act>([
    'nothing',
    'yes',
    'no',
    'onlyIf',
    'but',
    'minor',
    'refuse',
    'take',
    'assign',
    'ask',
    'inform',
  ]),
  execution: new Set<Act>([
    ...(['nothing', 'failed', 'partial', 'doing', 'done'] as const),
    ...(['refuse', 'take', 'assign', 'ask', 'inform'] as const),
  ]),
  review: new Set<Act>([
    ...(['nothing', 'yes', 'no', 'onlyIf', 'but', 'minor', 'pass', 'fail'] as const),
    ...(['failed', 'partial', 'ask', 'inform'] as const),
  ]),
}
