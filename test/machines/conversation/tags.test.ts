import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { INTENTS, type Intent, payloads } from '../../../machines/conversation/intents.ts'
import { prefixFields, tags } from '../../../machines/conversation/tags/index.ts'
import { type Tagged, tag } from '../../../src/agents/tagger.ts'
import type { Situation } from '../../../src/schema/tag.ts'

/** State, text, the intent it is meant as, and what the payload has to say beside it. */
type Row = readonly [state: string, text: string, intent: string, payload?: Record<string, unknown>]
type Language = 'en' | 'zh' | 'fr'
type Table = Record<Language, readonly Row[]>

const states: Record<string, { allowed: readonly string[]; expected: string }> = {
  discussion: { allowed: ['proposal', 'question', 'info'], expected: 'info' },
  proposal: { allowed: ['proposal', 'agree', 'object'], expected: 'agree' },
  assign: { allowed: ['assign', 'accept', 'object'], expected: 'accept' },
  execution: { allowed: ['progress', 'result', 'assign', 'accept', 'object'], expected: 'result' },
  review: { allowed: ['verdict', 'reject'], expected: 'verdict' },
}

const titles: Record<Language, readonly string[]> = {
  en: ['Write the parser', 'Test on large files', 'Documentation'],
  zh: ['编写解析器', '大文件测试', '文档'],
  fr: ['Écrire l’analyseur', 'Tester les gros fichiers', 'Documentation'],
}

const members = ['alice', 'Ben', '小李', 'Device-1/智能体A']

function situation(state: string, language: Language): Situation {
  const it = states[state]!
  return {
    state,
    ...it,
    subtasks: titles[language].map((title, i) => ({ id: `t${i + 1}`, title })),
    members,
  }
}

// The half that the rules were tuned on.
const tuned: Table = {
  en: [
    ['discussion', 'What is the deadline for this?', 'question'],
    ['discussion', 'Does anyone know which database they use?', 'question'],
    ['discussion', 'Who will read the report', 'question'],
    ['discussion', 'FYI, the service was rewritten in Go last year.', 'info'],
    ['discussion', 'The log shows 1,204 failed requests between 3 and 4 am.', 'info'],
    ['discussion', 'I propose that we cache the responses for an hour.', 'proposal'],
    ['discussion', 'We should start by measuring the current latency.', 'proposal'],
    [
      'discussion',
      'Proposal:\n- Draft the outline\n- Write the chapters\n- Proofread',
      'proposal',
      { subtasks: [{ title: 'Draft the outline' }, { title: 'Write the chapters' }, { title: 'Proofread' }] },
    ],
    ['discussion', 'What if we split the work by region?', 'proposal'],
    ['proposal', 'I agree.', 'agree'],
    ['proposal', "I don't agree.", 'object'],
    ['proposal', 'I have no objection.', 'agree'],
    ['proposal', 'I object to the second step.', 'object'],
    ['proposal', 'Sounds good to me!', 'agree'],
    ['proposal', 'I agree, but we need a step for the tests first.', 'object'],
    ['proposal', "I couldn't agree more.", 'agree'],
    ['proposal', "I don't think this will work.", 'object'],
    ['proposal', 'It is not perfect, but I support it.', 'agree'],
    ['proposal', 'I am not against it.', 'agree'],
    ['proposal', "I'm not sure I can agree to that.", 'object'],
    [
      'proposal',
      "I disagree, here's a better plan:\n1. Measure\n2. Optimise",
      'proposal',
      { subtasks: [{ title: 'Measure' }, { title: 'Optimise' }] },
    ],
    ['proposal', 'Why do we need the second step at all?', 'object'],
    ['assign', "I'll take t1.", 'accept', { subtask: 't1' }],
    ['assign', 'I can do the documentation.', 'accept', { subtask: 't3' }],
    ['assign', "I can't take t2, I'm overloaded.", 'object', { subtask: 't2' }],
    ['assign', 'Ben should do t1.', 'assign', { subtask: 't1', owner: 'Ben' }],
    ['assign', '@alice takes t2 please', 'assign', { subtask: 't2', owner: 'alice' }],
    ['assign', 'OK, count me in.', 'accept'],
    ['assign', "I'd rather not do this one.", 'object'],
    ['execution', 'Done: the parser is written and tested.', 'result', { status: 'success' }],
    ['execution', 'Finished t2.', 'result', { subtask: 't2', status: 'success' }],
    [
      'execution',
      'I could not finish t1, the file is missing.',
      'result',
      { subtask: 't1', status: 'failed' },
    ],
    ['execution', "I'm working on t1, 50% done.", 'progress', { subtask: 't1', percent: 50 }],
    ['execution', 'Partially done: chapters 1 and 2 are ready, 3 is not.', 'result', { status: 'partial' }],
    ['execution', 'Not done yet, I need two more days.', 'progress'],
    ['execution', 'Result: 42 of 50 cases pass.', 'result', { status: 'success' }],
    ['execution', 'Here are the findings. Sales are up 12% and costs are flat.', 'result'],
    ['review', 'LGTM', 'verdict', { verdict: 'pass' }],
    ['review', 'Looks good, approved.', 'verdict', { verdict: 'pass' }],
    ['review', 'This needs rework.', 'reject'],
    ['review', 'I cannot accept this: t2 is missing half of the cases.', 'reject'],
    ['review', 't1 is fine. t2 must be redone.', 'reject', { subtasks: ['t2'] }],
    ['review', 'I found no problems.', 'verdict', { verdict: 'pass' }],
    ['review', 'Looks good, but the summary is wrong.', 'reject'],
    ['discussion', 'Before we commit to anything: is the vendor contract already signed?', 'question'],
    ['discussion', 'I checked the dashboard and the error rate has been flat since Tuesday.', 'info'],
    [
      'discussion',
      'To move forward, I think the best approach is to write a short design document and circulate it.',
      'proposal',
    ],
    [
      'discussion',
      '**Plan**\n\n1. **Research**: gather five sources\n2. **Draft**: one page\n3. **Edit**: tighten it',
      'proposal',
      {
        subtasks: [
          { title: 'Research: gather five sources' },
          { title: 'Draft: one page' },
          { title: 'Edit: tighten it' },
        ],
      },
    ],
    ['discussion', 'Is there a reason why the old exporter was never removed?', 'question'],
    ['discussion', 'Let me propose something: one of us drafts, the others comment.', 'proposal'],
    ['proposal', 'This plan covers everything we discussed. I am in favour.', 'agree'],
    ['proposal', 'I have to push back here. The estimate leaves no time for testing.', 'object'],
    ['proposal', 'Approved from my end.', 'agree'],
    ['proposal', "I think it's a solid plan and we should proceed.", 'agree'],
    ['proposal', 'My concern is that step 3 depends on data that we do not have.', 'object'],
    ['proposal', "I won't stand in the way.", 'agree'],
    ['proposal', 'I can get behind this.', 'agree'],
    ['proposal', 'The plan overlooks the licensing question, so I must vote no.', 'object'],
    ['proposal', "I'd agree if the budget were bigger, but it isn't.", 'object'],
    ['proposal', 'Nothing to object to here.', 'agree'],
    ['assign', "t3 is right up my alley, I'm taking it.", 'accept', { subtask: 't3' }],
    ['assign', 'I accept the assignment.', 'accept'],
    ['assign', 'Please give t2 to Ben, he knows the data best.', 'assign', { subtask: 't2', owner: 'Ben' }],
    ['assign', 'Alice would be the best person for t1.', 'assign', { subtask: 't1', owner: 'alice' }],
    ['assign', "I have too much on my plate already, so I'll have to pass.", 'object'],
    ['assign', 'Documentation is something I can take care of.', 'accept', { subtask: 't3' }],
    [
      'execution',
      'I have completed the analysis. Revenue rose 8% year over year, driven by subscriptions.',
      'result',
      { status: 'success' },
    ],
    ['execution', 'Quick update: 3 of 10 files processed, continuing tomorrow.', 'progress'],
    [
      'execution',
      'I ran into a blocker: the API key is invalid, so no output could be produced.',
      'result',
      { status: 'failed' },
    ],
    [
      'execution',
      'def parse(s):\n    return [t for t in s.split(",") if t]\n\nThis is the parser for t1.',
      'result',
      { subtask: 't1' },
    ],
    ['execution', "I'm at 75% with t2.", 'progress', { subtask: 't2', percent: 75 }],
    [
      'execution',
      'Delivered what I could: the first two sections are done, the third had to be dropped.',
      'result',
      { status: 'partial' },
    ],
    [
      'execution',
      'The tests have all been written and they pass without errors.',
      'result',
      { status: 'success' },
    ],
    ['review', 'Solid work. Ship it.', 'verdict', { verdict: 'pass' }],
    ['review', 'The results meet all the criteria we set out.', 'verdict', { verdict: 'pass' }],
    ['review', 'I am rejecting this because t2 does not cover Windows.', 'reject', { subtasks: ['t2'] }],
    ['review', 'Great effort, but the numbers in the appendix do not add up.', 'reject'],
    ['review', "I've verified each claim and have no further concerns.", 'verdict', { verdict: 'pass' }],
    ['review', 'Almost there, yet the introduction still needs to be rewritten.', 'reject'],
    ['discussion', 'Are we sure that the numbers from March are comparable?', 'question'],
    ['discussion', 'Which of these two formats does the client actually read', 'question'],
    ['discussion', 'Our licence covers up to fifty seats; we use forty-one at the moment.', 'info'],
    [
      'discussion',
      'The previous team tried a similar migration in 2022 and rolled it back after a week.',
      'info',
    ],
    [
      'discussion',
      'My recommendation would be to run a pilot with one customer before anything else.',
      'proposal',
    ],
    [
      'discussion',
      'Here is how I would go about it:\n\n- interview three users\n- sketch two variants\n- test both',
      'proposal',
      {
        subtasks: [
          { title: 'interview three users' },
          { title: 'sketch two variants' },
          { title: 'test both' },
        ],
      },
    ],
    ['discussion', 'Could we simply reuse the importer that already exists?', 'question'],
    ['proposal', 'Count on my vote.', 'agree'],
    ['proposal', 'Happy with that, go for it.', 'agree'],
    ['proposal', 'That does not address the root cause at all.', 'object'],
    ['proposal', 'I see nothing wrong with it.', 'agree'],
    ['proposal', 'Hard no. We tried this twice.', 'object'],
    ['proposal', 'I would support it provided the scope is cut in half.', 'object'],
    ['proposal', "Though I'd have chosen another order, I agree with the plan.", 'agree'],
    ['proposal', 'The order of the steps makes no sense to me.', 'object'],
    ['proposal', 'I can live with it.', 'agree'],
    ['assign', 'Let me do t1, I wrote the old one.', 'accept', { subtask: 't1' }],
    ['assign', 'I nominate Ben for t2.', 'assign', { subtask: 't2', owner: 'Ben' }],
    ['assign', 'Sadly I am away all week and cannot commit to t3.', 'object', { subtask: 't3' }],
    ['assign', 'Sign me up for the documentation.', 'accept', { subtask: 't3' }],
    ['assign', 'This is outside what I can do.', 'object'],
    ['assign', 'alice, please own t1.', 'assign', { subtask: 't1', owner: 'alice' }],
    [
      'execution',
      'The documentation is finished and lives in docs/.',
      'result',
      { subtask: 't3', status: 'success' },
    ],
    ['execution', 'Progress so far: the tokenizer works, the tree builder does not yet.', 'progress'],
    [
      'execution',
      'I had to stop: the disk filled up and nothing could be saved.',
      'result',
      { status: 'failed' },
    ],
    ['execution', 'About 40% of t1 is in place.', 'progress', { subtask: 't1', percent: 40 }],
    ['execution', 'Answer: the capital was moved in 1960, see the two sources below.', 'result'],
    [
      'execution',
      'I got through half of the files before the quota ran out; results for those are below.',
      'result',
      { status: 'partial' },
    ],
    ['execution', 'Just getting started on t2.', 'progress', { subtask: 't2' }],
    ['execution', 'Completed. Please review.', 'result', { status: 'success' }],
    ['review', 'No further changes needed from me.', 'verdict', { verdict: 'pass' }],
    ['review', 'I recommend acceptance.', 'verdict', { verdict: 'pass' }],
    ['review', 'Unfortunately the report skips the second question entirely.', 'reject'],
    ['review', 'This is exactly what we asked for.', 'verdict', { verdict: 'pass' }],
    [
      'review',
      'The benchmark was run on the wrong machine, so t2 has to be repeated.',
      'reject',
      { subtasks: ['t2'] },
    ],
    ['review', 'I cannot sign this off.', 'reject'],
    ['proposal', 'I do not agree with Ben, this is a good plan.', 'object'],
    ['proposal', "It's not that I disagree, I just want more detail.", 'agree'],
    ['proposal', 'Yes.', 'agree'],
    ['proposal', 'No.', 'object'],
    ['proposal', 'No, thanks.', 'object'],
    ['proposal', "No problem, let's do it.", 'agree'],
    ['proposal', 'Agreed! One minor note: rename step 2.', 'agree'],
    ['proposal', 'I agree with the general direction. However, step 2 is not feasible.', 'object'],
    ['proposal', "I was sceptical at first, but now I'm convinced.", 'agree'],
    ['proposal', 'Do we all agree on this?', 'object'],
    ['proposal', "I can't find any flaws in it.", 'agree'],
    [
      'proposal',
      'After reviewing the proposal, I support moving forward. It is clear, scoped well and addresses the issues we raised.',
      'agree',
    ],
    ['proposal', 'I support the idea; who takes the tests?', 'agree'],
    ['review', 'Pass.', 'verdict', { verdict: 'pass' }],
    ['review', 'Fail.', 'reject'],
    ['review', 'Reject.', 'reject'],
    ['review', 'I see no reason to reject this.', 'verdict', { verdict: 'pass' }],
    ['review', 'The work does not have any errors.', 'verdict', { verdict: 'pass' }],
    [
      'review',
      'The error handling is excellent and the tests pass. Approved.',
      'verdict',
      { verdict: 'pass' },
    ],
    ['review', 'Not approved.', 'reject'],
    ['review', "It's complete and correct.", 'verdict', { verdict: 'pass' }],
    ['review', "I don't accept this result.", 'reject'],
    ['execution', "I haven't started t1 yet.", 'progress', { subtask: 't1' }],
    ['execution', 'I will take t3 as well.', 'accept', { subtask: 't3' }],
    ['execution', "I have to give t1 back, I can't do it.", 'object', { subtask: 't1' }],
    ['execution', 'Which format should the output have?', 'progress'],
    ['execution', 't1 is done, moving on to t2.', 'result', { subtask: 't1' }],
    ['execution', 'There is no error any more, everything is done.', 'result', { status: 'success' }],
    ['assign', "Yes, I'll do it.", 'accept'],
    ['assign', "I can't.", 'object'],
    ['assign', 'No.', 'object'],
    ['assign', 'I take t1, Ben takes t2.', 'accept', { subtask: 't1' }],
    ['assign', 't2: Ben', 'assign', { subtask: 't2', owner: 'Ben' }],
    ['assign', "I'm the right person for t1.", 'accept', { subtask: 't1' }],
    ['discussion', 'I think that is a great question. What do others think?', 'question'],
    ['discussion', 'The goal: a report for the board. We have two weeks.', 'info'],
  ],
  zh: [
    ['discussion', '这个项目的截止日期是什么时候？', 'question'],
    ['discussion', '有人知道他们用的是哪个数据库吗', 'question'],
    ['discussion', '供参考：这个服务去年已经用 Go 重写了。', 'info'],
    ['discussion', '目前每天大约有一千个失败的请求。', 'info'],
    ['discussion', '我建议先测一下现在的延迟。', 'proposal'],
    ['discussion', '我们应该先把数据备份好。', 'proposal'],
    [
      'discussion',
      '我的计划：\n1. 写大纲\n2. 写正文\n3. 校对',
      'proposal',
      { subtasks: [{ title: '写大纲' }, { title: '写正文' }, { title: '校对' }] },
    ],
    ['proposal', '同意。', 'agree'],
    ['proposal', '我不同意。', 'object'],
    ['proposal', '没有意见。', 'agree'],
    ['proposal', '我反对这个方案。', 'object'],
    ['proposal', '好的，就按这个来。', 'agree'],
    ['proposal', '同意，但是要先做测试。', 'object'],
    ['proposal', '我不反对。', 'agree'],
    ['proposal', '我不太赞成第二步。', 'object'],
    ['proposal', '虽然不完美，但我支持。', 'agree'],
    ['proposal', '不行，风险太大。', 'object'],
    [
      'proposal',
      '我建议换一个方案：\n- 先测量\n- 再优化',
      'proposal',
      { subtasks: [{ title: '先测量' }, { title: '再优化' }] },
    ],
    ['proposal', '为什么需要第二步？', 'object'],
    ['assign', '我来做 t2', 'accept', { subtask: 't2' }],
    ['assign', '文档我来写。', 'accept', { subtask: 't3' }],
    ['assign', '我做不了 t1。', 'object', { subtask: 't1' }],
    ['assign', '请小李负责t1。', 'assign', { subtask: 't1', owner: '小李' }],
    ['assign', 't2 交给 ben 吧', 'assign', { subtask: 't2', owner: 'Ben' }],
    ['assign', '这个任务我不想接，请换别人。', 'object'],
    ['execution', '完成了。', 'result', { status: 'success' }],
    ['execution', 't1 已完成，代码在附件里。', 'result', { subtask: 't1', status: 'success' }],
    ['execution', '部分完成，还差最后一章。', 'result', { status: 'partial' }],
    ['execution', '正在写解析器，进度 30%。', 'progress', { percent: 30 }],
    ['execution', 't2 失败了，文件打不开。', 'result', { subtask: 't2', status: 'failed' }],
    ['execution', '我还没有完成，需要再等一天。', 'progress'],
    ['execution', '结果如下：共有 42 个用例通过。', 'result', { status: 'success' }],
    ['execution', '无法完成这个任务，缺少权限。', 'result', { status: 'failed' }],
    ['review', '通过。', 'verdict', { verdict: 'pass' }],
    ['review', '不通过，错误太多。', 'reject'],
    ['review', '做得很好，我认可。', 'verdict', { verdict: 'pass' }],
    ['review', 't2 需要返工。', 'reject', { subtasks: ['t2'] }],
    ['review', '没问题。', 'verdict', { verdict: 'pass' }],
    ['review', '整体不错，但是结论有错误。', 'reject'],
    ['discussion', '请问数据要保存多长时间？', 'question'],
    ['discussion', '目前线上一共有三台服务器，都在华东。', 'info'],
    ['discussion', '我觉得可以分两步走：先修复已知的漏洞，然后再做性能优化。', 'proposal'],
    ['discussion', '谁对这部分代码比较熟悉', 'question'],
    ['discussion', '我查了日志，错误从周二开始出现。', 'info'],
    [
      'discussion',
      '建议如下：\n1、统一接口\n2、补测试',
      'proposal',
      { subtasks: [{ title: '统一接口' }, { title: '补测试' }] },
    ],
    ['proposal', '这个计划考虑得很周全，我投赞成票。', 'agree'],
    ['proposal', '我投反对票。', 'object'],
    ['proposal', '我认为时间安排太紧，需要调整。', 'object'],
    ['proposal', '挺好的，开始吧。', 'agree'],
    ['proposal', '如果能增加回滚步骤，我就同意。', 'object'],
    ['proposal', '我对此没有任何反对意见。', 'agree'],
    ['proposal', '说实话，我很难认同这个做法。', 'object'],
    ['assign', '测试这块我熟，t2 归我。', 'accept', { subtask: 't2' }],
    ['assign', '我手头的事情太多，接不了。', 'object'],
    ['assign', 't1 由小李负责吧', 'assign', { subtask: 't1', owner: '小李' }],
    ['assign', '收到，马上开始。', 'accept'],
    ['assign', '@alice 你来做 t3 可以吗？', 'assign', { subtask: 't3', owner: 'alice' }],
    ['execution', '报告已经写好，请大家查看。', 'result', { status: 'success' }],
    ['execution', '已处理 60%，还剩两个文件。', 'progress', { percent: 60 }],
    ['execution', '由于接口报错，任务没有完成。', 'result', { status: 'failed' }],
    ['execution', '前两部分已完成，第三部分因为缺数据没有做。', 'result', { status: 'partial' }],
    ['execution', '我刚开始做 t1，有进展会再同步。', 'progress', { subtask: 't1' }],
    ['execution', 't3 完成，文档放在 output 目录。', 'result', { subtask: 't3', status: 'success' }],
    ['review', '结果准确，内容完整，予以通过。', 'verdict', { verdict: 'pass' }],
    ['review', 't1 的结论站不住脚，请重做。', 'reject', { subtasks: ['t1'] }],
    ['review', '可以，没什么要改的。', 'verdict', { verdict: 'pass' }],
    ['review', '暂不通过，第二部分的数据对不上。', 'reject'],
    ['review', '完全符合预期。', 'verdict', { verdict: 'pass' }],
    ['discussion', '客户那边是用邮件还是用系统提交？', 'question'],
    ['discussion', '有没有现成的数据可以直接用', 'question'],
    ['discussion', '上次做类似项目花了两周左右。', 'info'],
    ['discussion', '合同里写明了月底之前必须交付。', 'info'],
    ['discussion', '我的想法是先访谈三个用户，再做两版设计。', 'proposal'],
    [
      'discussion',
      '可以这样安排：\n- 整理需求\n- 设计接口\n- 编码测试',
      'proposal',
      { subtasks: [{ title: '整理需求' }, { title: '设计接口' }, { title: '编码测试' }] },
    ],
    ['discussion', '咱们先统一一下术语吧。', 'proposal'],
    ['proposal', '我投赞成。', 'agree'],
    ['proposal', '我看行。', 'agree'],
    ['proposal', '这样做没有解决根本问题。', 'object'],
    ['proposal', '挑不出毛病，就这样吧。', 'agree'],
    ['proposal', '坚决反对，之前试过两次都失败了。', 'object'],
    ['proposal', '除非把范围缩小一半，否则我不会支持。', 'object'],
    ['proposal', '虽然顺序可以再商量，但总体上我赞同。', 'agree'],
    ['proposal', '步骤的顺序不对。', 'object'],
    ['assign', '让我来写解析器吧，之前就是我写的。', 'accept'],
    ['assign', '推荐 ben 做 t2。', 'assign', { subtask: 't2', owner: 'Ben' }],
    ['assign', '这周我出差，t3 没法接。', 'object', { subtask: 't3' }],
    ['assign', '文档算我的。', 'accept', { subtask: 't3' }],
    ['assign', '这超出了我的能力范围。', 'object'],
    ['assign', '小李，麻烦你做一下 t1。', 'assign', { subtask: 't1', owner: '小李' }],
    ['execution', '文档写完了，放在 docs 目录下。', 'result', { subtask: 't3', status: 'success' }],
    ['execution', '目前词法部分可以用了，语法树还不行。', 'progress'],
    ['execution', '磁盘满了，什么都没保存下来，任务失败。', 'result', { status: 'failed' }],
    ['execution', 't1 大概完成了 40%。', 'progress', { subtask: 't1', percent: 40 }],
    ['execution', '答案：首都是在 1960 年迁移的，来源见下。', 'result'],
    ['execution', '额度用完了，只处理了一半的文件，结果如下。', 'result', { status: 'partial' }],
    ['execution', '刚着手做 t2。', 'progress', { subtask: 't2' }],
    ['execution', '任务完成，请审核。', 'result', { status: 'success' }],
    ['review', '我这边没有需要修改的地方。', 'verdict', { verdict: 'pass' }],
    ['review', '建议通过。', 'verdict', { verdict: 'pass' }],
    ['review', '报告完全没有回答第二个问题。', 'reject'],
    ['review', '正是我们想要的。', 'verdict', { verdict: 'pass' }],
    ['review', '测试环境用错了，t2 得重新跑一遍。', 'reject', { subtasks: ['t2'] }],
    ['review', '这个我不能签字。', 'reject'],
    ['proposal', '我不是不同意，只是想先看数据。', 'object'],
    ['proposal', '谁不同意？', 'object'],
    ['proposal', '不同意第二步，其他没问题。', 'object'],
    ['proposal', '我完全同意这个方案。', 'agree'],
    ['proposal', '可以。', 'agree'],
    ['proposal', '行。', 'agree'],
    ['proposal', '方案很好，我支持。', 'agree'],
    ['proposal', '我不能不同意。', 'agree'],
    ['review', '未通过。', 'reject'],
    ['review', '不错，通过！', 'verdict', { verdict: 'pass' }],
    ['review', '没有错误，质量合格。', 'verdict', { verdict: 'pass' }],
    ['review', '有几处错误需要修改。', 'reject'],
    ['execution', '尚未完成。', 'progress'],
    ['execution', '完成度 80%', 'progress', { percent: 80 }],
    ['execution', '输出格式是什么？', 'progress'],
    ['assign', '好。', 'accept'],
    ['assign', '我没时间做 t1', 'object', { subtask: 't1' }],
    ['assign', '智能体A 负责 t2', 'assign', { subtask: 't2', owner: 'Device-1/智能体A' }],
    ['assign', '编写解析器由我来做。', 'accept', { subtask: 't1' }],
    ['discussion', '我们要不要先做个调查？', 'proposal'],
    ['discussion', '大家怎么看？', 'question'],
  ],
  fr: [
    ['discussion', 'Quelle est la date limite ?', 'question'],
    ['discussion', 'Qui connaît la base de données utilisée ?', 'question'],
    ['discussion', 'Comment fait-on pour lancer les tests', 'question'],
    ['discussion', 'À noter : le service a été réécrit en Go l’an dernier.', 'info'],
    ['discussion', 'Le journal montre 1 204 requêtes en échec cette nuit.', 'info'],
    ['discussion', 'Je propose de mettre les réponses en cache.', 'proposal'],
    ['discussion', 'Il faudrait d’abord mesurer la latence.', 'proposal'],
    [
      'discussion',
      'Ma proposition :\n- Rédiger le plan\n- Écrire les chapitres\n- Relire',
      'proposal',
      { subtasks: [{ title: 'Rédiger le plan' }, { title: 'Écrire les chapitres' }, { title: 'Relire' }] },
    ],
    ['discussion', 'Et si on répartissait le travail par région ?', 'proposal'],
    ['proposal', "Je suis d'accord.", 'agree'],
    ['proposal', 'Je ne suis pas d’accord.', 'object'],
    ['proposal', 'Aucune objection.', 'agree'],
    ['proposal', 'Je suis contre.', 'object'],
    ['proposal', 'Parfait, on y va.', 'agree'],
    ['proposal', "D'accord, mais il faut d'abord des tests.", 'object'],
    ['proposal', 'Je ne suis pas contre.', 'agree'],
    ['proposal', 'Je ne suis pas convaincu par la deuxième étape.', 'object'],
    ['proposal', 'Ce n’est pas parfait, mais je soutiens ce plan.', 'agree'],
    ['proposal', 'Je suis pour.', 'agree'],
    ['proposal', 'Non, c’est trop risqué.', 'object'],
    [
      'proposal',
      'Je propose un autre plan :\n1. Mesurer\n2. Optimiser',
      'proposal',
      { subtasks: [{ title: 'Mesurer' }, { title: 'Optimiser' }] },
    ],
    ['assign', 'Je prends la tâche t1.', 'accept', { subtask: 't1' }],
    ['assign', "Je m'en charge.", 'accept'],
    ['assign', 'Je ne peux pas prendre t2.', 'object', { subtask: 't2' }],
    ['assign', 'Ben devrait faire t1.', 'assign', { subtask: 't1', owner: 'Ben' }],
    ['assign', '@alice prend t3', 'assign', { subtask: 't3', owner: 'alice' }],
    ['assign', 'Je refuse, je suis débordé.', 'object'],
    ['assign', 'Je vais tester les gros fichiers.', 'accept', { subtask: 't2' }],
    ['execution', 'Terminé.', 'result', { status: 'success' }],
    ['execution', 'Voici le résultat : 42 cas sur 50 passent.', 'result', { status: 'success' }],
    ['execution', 'J’ai fini t2.', 'result', { subtask: 't2', status: 'success' }],
    ['execution', 'Travail en cours sur t1, 50 % effectués.', 'progress', { subtask: 't1', percent: 50 }],
    [
      'execution',
      'Impossible de terminer t1 : le fichier est introuvable.',
      'result',
      { subtask: 't1', status: 'failed' },
    ],
    ['execution', 'C’est partiellement terminé, il manque un chapitre.', 'result', { status: 'partial' }],
    ['execution', 'Ce n’est pas encore terminé.', 'progress'],
    ['review', 'Validé.', 'verdict', { verdict: 'pass' }],
    ['review', 'C’est à refaire.', 'reject'],
    ['review', 'Très bon travail, j’approuve.', 'verdict', { verdict: 'pass' }],
    ['review', 'Je ne valide pas, la conclusion est fausse.', 'reject'],
    ['review', 'Rien à signaler.', 'verdict', { verdict: 'pass' }],
    ['review', 'C’est bien dans l’ensemble, mais t2 est à corriger.', 'reject', { subtasks: ['t2'] }],
    ['discussion', 'Savons-nous combien de clients utilisent encore l’ancienne version ?', 'question'],
    ['discussion', 'J’ai vérifié : la base contient 40 000 lignes.', 'info'],
    ['discussion', 'Le plus simple serait de commencer par un petit essai.', 'proposal'],
    [
      'discussion',
      'Plan proposé :\n1. Inventaire\n2. Migration\n3. Contrôle',
      'proposal',
      { subtasks: [{ title: 'Inventaire' }, { title: 'Migration' }, { title: 'Contrôle' }] },
    ],
    ['discussion', 'Quelqu’un a-t-il déjà travaillé avec cet outil ?', 'question'],
    ['discussion', 'Je vous propose la démarche suivante : on mesure, puis on décide.', 'proposal'],
    ['proposal', 'Ce plan me paraît bon, je vote pour.', 'agree'],
    ['proposal', 'Je vote contre.', 'object'],
    ['proposal', 'Je n’ai rien à y redire.', 'agree'],
    ['proposal', 'Cela ne tient pas compte des délais, je ne peux donc pas être d’accord.', 'object'],
    ['proposal', 'Je suis entièrement favorable à cette approche.', 'agree'],
    ['proposal', 'Je serais d’accord si l’on ajoutait une étape de test.', 'object'],
    ['proposal', 'J’émets de sérieuses réserves sur la troisième étape.', 'object'],
    ['proposal', 'Bonne proposition, je suis partant.', 'agree'],
    ['assign', 'Je me charge volontiers de la documentation.', 'accept', { subtask: 't3' }],
    ['assign', 'Je n’ai malheureusement pas le temps pour t2.', 'object', { subtask: 't2' }],
    ['assign', 'Confions t1 à Ben.', 'assign', { subtask: 't1', owner: 'Ben' }],
    ['assign', 'Alice, peux-tu prendre t2 ?', 'assign', { subtask: 't2', owner: 'alice' }],
    ['assign', 'Ça marche, je commence tout de suite.', 'accept'],
    ['assign', 'Ce n’est pas dans mes cordes.', 'object'],
    ['execution', 'Le document est rédigé et relu.', 'result', { status: 'success' }],
    ['execution', 'Point d’étape : deux fichiers sur cinq sont traités.', 'progress'],
    ['execution', 'J’ai dû abandonner, les données sont corrompues.', 'result', { status: 'failed' }],
    ['execution', 'La tâche t1 est terminée à 80 %.', 'progress', { subtask: 't1', percent: 80 }],
    ['execution', 'Tâche accomplie, tous les tests passent.', 'result', { status: 'success' }],
    ['execution', 'Je n’ai pu traiter qu’une partie des fichiers.', 'result', { status: 'partial' }],
    ['review', 'Tout est bon pour moi.', 'verdict', { verdict: 'pass' }],
    ['review', 'La partie t2 est à reprendre entièrement.', 'reject', { subtasks: ['t2'] }],
    ['review', 'Je donne mon feu vert.', 'verdict', { verdict: 'pass' }],
    ['review', 'Les chiffres ne correspondent pas aux sources.', 'reject'],
    ['review', 'Bon travail dans l’ensemble, toutefois la conclusion ne suit pas.', 'reject'],
    ['discussion', 'Les chiffres de mars sont-ils comparables ?', 'question'],
    ['discussion', 'Lequel des deux formats le client lit-il vraiment', 'question'],
    ['discussion', 'Notre licence couvre cinquante postes, nous en utilisons quarante et un.', 'info'],
    ['discussion', "L'équipe précédente a tenté la même migration en 2022, sans succès.", 'info'],
    ['discussion', 'Ma recommandation : un pilote avec un seul client avant tout.', 'proposal'],
    [
      'discussion',
      "Voici comment je m'y prendrais :\n- interroger trois utilisateurs\n- esquisser deux variantes\n- tester les deux",
      'proposal',
      {
        subtasks: [
          { title: 'interroger trois utilisateurs' },
          { title: 'esquisser deux variantes' },
          { title: 'tester les deux' },
        ],
      },
    ],
    ['discussion', 'Pourrait-on réutiliser l’importateur existant ?', 'question'],
    ['proposal', 'Vous avez ma voix.', 'agree'],
    ['proposal', 'Cela me convient parfaitement.', 'agree'],
    ['proposal', 'Cela ne règle pas le fond du problème.', 'object'],
    ['proposal', 'Je n’y vois rien de gênant.', 'agree'],
    ['proposal', 'C’est non : nous avons déjà essayé deux fois.', 'object'],
    ['proposal', 'Je soutiendrai ce plan à condition de réduire le périmètre.', 'object'],
    ['proposal', "J'aurais choisi un autre ordre, mais je suis d'accord.", 'agree'],
    ['proposal', "L'ordre des étapes n'a aucun sens.", 'object'],
    ['assign', 'Laissez-moi faire t1, j’ai écrit l’ancien.', 'accept', { subtask: 't1' }],
    ['assign', 'Je verrais bien Ben sur t2.', 'assign', { subtask: 't2', owner: 'Ben' }],
    [
      'assign',
      'Je suis absent toute la semaine, impossible pour moi de prendre t3.',
      'object',
      { subtask: 't3' },
    ],
    ['assign', 'La documentation est pour moi.', 'accept', { subtask: 't3' }],
    ['assign', 'Cela dépasse mes compétences.', 'object'],
    ['assign', 'Alice, merci de prendre t1.', 'assign', { subtask: 't1', owner: 'alice' }],
    [
      'execution',
      'La documentation est terminée, elle se trouve dans docs/.',
      'result',
      { subtask: 't3', status: 'success' },
    ],
    ['execution', 'Pour l’instant le lexeur marche, l’arbre pas encore.', 'progress'],
    [
      'execution',
      "J'ai dû m'arrêter : le disque est plein et rien n'a été enregistré.",
      'result',
      { status: 'failed' },
    ],
    ['execution', 'Environ 40 % de t1 est en place.', 'progress', { subtask: 't1', percent: 40 }],
    ['execution', 'Réponse : la capitale a été déplacée en 1960.', 'result'],
    [
      'execution',
      "J'ai traité la moitié des fichiers avant la fin du quota, résultats ci-dessous.",
      'result',
      { status: 'partial' },
    ],
    ['execution', 'Je viens de commencer t2.', 'progress', { subtask: 't2' }],
    ['execution', 'Mission accomplie, à vous de relire.', 'result', { status: 'success' }],
    ['review', 'Pas d’autre changement à demander.', 'verdict', { verdict: 'pass' }],
    ['review', "Je recommande l'acceptation.", 'verdict', { verdict: 'pass' }],
    ['review', 'Le rapport passe la deuxième question sous silence.', 'reject'],
    ['review', "C'est exactement ce que nous voulions.", 'verdict', { verdict: 'pass' }],
    [
      'review',
      'Le test a tourné sur la mauvaise machine, il faut refaire t2.',
      'reject',
      { subtasks: ['t2'] },
    ],
    ['review', 'Je ne signe pas.', 'reject'],
    ['proposal', 'Oui.', 'agree'],
    ['proposal', 'Non.', 'object'],
    ['proposal', "Je n'ai aucune objection à ce plan.", 'agree'],
    ['proposal', "Pas d'accord.", 'object'],
    ['proposal', 'Je ne vois aucun problème.', 'agree'],
    ['proposal', "Sommes-nous tous d'accord ?", 'object'],
    ['proposal', 'Pourquoi pas, essayons.', 'agree'],
    ['proposal', 'Je ne suis pas opposé à cette idée.', 'agree'],
    ['proposal', "Je ne suis pas du tout d'accord.", 'object'],
    ['proposal', 'Le but est clair et le plan me convient.', 'agree'],
    ['review', 'Non validé.', 'reject'],
    ['review', "Je n'ai relevé aucune erreur.", 'verdict', { verdict: 'pass' }],
    ['review', 'Approuvé.', 'verdict', { verdict: 'pass' }],
    ['review', "Le travail n'est pas terminé.", 'reject'],
    ['review', 'Excellent, rien à changer.', 'verdict', { verdict: 'pass' }],
    ['execution', 'Je termine t1, encore une heure.', 'progress', { subtask: 't1' }],
    ['execution', "J'ai terminé.", 'result', { status: 'success' }],
    ['execution', 'J’ai échoué sur t2.', 'result', { status: 'failed', subtask: 't2' }],
    ['execution', 'Avancement : 70 %', 'progress', { percent: 70 }],
    ['assign', 'Non, pas moi.', 'object'],
    ['assign', 'Oui, je le fais.', 'accept'],
    ['assign', "D'accord pour t1.", 'accept', { subtask: 't1' }],
    ['discussion', "Ne devrait-on pas d'abord sauvegarder ?", 'question'],
    ['discussion', 'Commençons par une enquête.', 'proposal'],
  ],
}

// Written before there were any rules, by the same hand; nothing was tuned on it.
const heldOut: Table = {
  en: [
    ['discussion', 'What throughput do we need to support on day one?', 'question'],
    ['discussion', 'Could someone explain how the nightly import is triggered today', 'question'],
    ['discussion', 'For context, the customer is still on version 2 of the API.', 'info'],
    ['discussion', 'Last quarter we saw about 3% of requests time out, mostly in the EU region.', 'info'],
    [
      'discussion',
      "I'd suggest we split this in two: first migrate the schema, then backfill the data.",
      'proposal',
    ],
    [
      'discussion',
      "Here's my plan:\n1. Collect the logs\n2. Group errors by cause\n3. Write up the top five",
      'proposal',
      {
        subtasks: [
          { title: 'Collect the logs' },
          { title: 'Group errors by cause' },
          { title: 'Write up the top five' },
        ],
      },
    ],
    ['discussion', "Let's go with a queue in front of the writer.", 'proposal'],
    ['proposal', 'Works for me, ship it.', 'agree'],
    ['proposal', "I can't support this as it stands: there is no rollback.", 'object'],
    ['proposal', 'No objections from my side.', 'agree'],
    ['proposal', "I don't see any problem with this plan.", 'agree'],
    ['proposal', "I'm not convinced that three steps are enough.", 'object'],
    ['proposal', 'Yes, but only if we drop the second step.', 'object'],
    [
      'proposal',
      'Instead, I propose that we start with the tests:\n- write the tests\n- fix what fails',
      'proposal',
      { subtasks: [{ title: 'write the tests' }, { title: 'fix what fails' }] },
    ],
    ['proposal', 'Fully on board with m1.', 'agree'],
    ['proposal', "I wouldn't do it this way.", 'object'],
    ['assign', 'Happy to pick up t2.', 'accept', { subtask: 't2' }],
    ['assign', "I'll handle writing the parser.", 'accept'],
    ['assign', "Sorry, I don't have the capacity for t1, someone else please.", 'object', { subtask: 't1' }],
    ['assign', 'Ben, could you take t3?', 'assign', { subtask: 't3', owner: 'Ben' }],
    ['assign', 'I would like to assign t1 to alice.', 'assign', { subtask: 't1', owner: 'alice' }],
    ['assign', 'Not me, I know nothing about parsers.', 'object'],
    ['assign', 'Sure, leave it to me.', 'accept'],
    [
      'execution',
      'All done. The parser now handles nested quotes and the tests pass.',
      'result',
      { status: 'success' },
    ],
    [
      'execution',
      "I'm about halfway through t2, roughly 60% of the files are checked.",
      'progress',
      { subtask: 't2', percent: 60 },
    ],
    [
      'execution',
      'Unfortunately I was unable to complete t1: the source file is encrypted.',
      'result',
      { subtask: 't1', status: 'failed' },
    ],
    [
      'execution',
      'Here is the summary you asked for:\n\nThe market grew by 4% while prices stayed flat.',
      'result',
      { status: 'success' },
    ],
    ['execution', 'Still working on it, need another hour.', 'progress'],
    [
      'execution',
      'Only part of this is finished: two of the three chapters are written, the last is missing.',
      'result',
      { status: 'partial' },
    ],
    ['execution', 'Not finished yet, the benchmark is still running.', 'progress'],
    ['execution', 't1 is complete.', 'result', { subtask: 't1', status: 'success' }],
    ['review', 'Everything checks out, I have nothing to add.', 'verdict', { verdict: 'pass' }],
    ['review', "This isn't ready: section 2 contradicts section 1.", 'reject'],
    ['review', "I'm happy to sign off on this.", 'verdict', { verdict: 'pass' }],
    ['review', 'There are no issues left.', 'verdict', { verdict: 'pass' }],
    ['review', 'The second table is wrong and has to be redone.', 'reject'],
    ['review', "I can't approve this until the sources are cited.", 'reject'],
    ['review', 'Not bad at all, accepted.', 'verdict', { verdict: 'pass' }],
  ],
  zh: [
    ['discussion', '这个接口每天的调用量大概是多少', 'question'],
    ['discussion', '我们是否需要考虑旧版本的兼容性？', 'question'],
    ['discussion', '补充一点背景：客户目前用的是 2.3 版本。', 'info'],
    ['discussion', '据我了解，上个月的故障主要是缓存失效造成的。', 'info'],
    ['discussion', '我提议先做一个原型，再决定要不要全面铺开。', 'proposal'],
    [
      'discussion',
      '方案如下：\n一、收集数据\n二、清洗数据\n三、撰写报告',
      'proposal',
      { subtasks: [{ title: '收集数据' }, { title: '清洗数据' }, { title: '撰写报告' }] },
    ],
    ['discussion', '不如我们先从日志入手吧。', 'proposal'],
    ['proposal', '没问题，就这么办。', 'agree'],
    ['proposal', '我觉得可行。', 'agree'],
    ['proposal', '我不赞成，这样成本太高了。', 'object'],
    ['proposal', '原则上同意，不过第二步需要先评估风险。', 'object'],
    ['proposal', '我没有异议。', 'agree'],
    ['proposal', '这个方案恐怕行不通。', 'object'],
    ['proposal', '支持。', 'agree'],
    ['proposal', '我另有一个方案：先测试，再上线。', 'proposal'],
    ['assign', 't2 交给我吧。', 'accept', { subtask: 't2' }],
    ['assign', '我可以负责文档部分。', 'accept', { subtask: 't3' }],
    ['assign', '抱歉，我最近没有时间，t1 做不了。', 'object', { subtask: 't1' }],
    ['assign', '让小李来做 t3 比较合适。', 'assign', { subtask: 't3', owner: '小李' }],
    ['assign', '好的，我接了。', 'accept'],
    ['assign', '建议由 ben 负责 t1。', 'assign', { subtask: 't1', owner: 'Ben' }],
    ['execution', '任务 t1 已经做完了，结果见附件。', 'result', { subtask: 't1', status: 'success' }],
    ['execution', '目前进展到 40%，预计明天可以做完。', 'progress', { percent: 40 }],
    ['execution', '还没做完，正在处理最后一批数据。', 'progress'],
    ['execution', '很遗憾，t2 没能完成，服务器一直连不上。', 'result', { subtask: 't2', status: 'failed' }],
    ['execution', '以下是分析报告：市场增长了 4%，价格持平。', 'result', { status: 'success' }],
    ['execution', '只完成了一半，剩下的缺少权限。', 'result', { status: 'partial' }],
    ['execution', '搞定了，所有测试都过了。', 'result', { status: 'success' }],
    ['review', '质量很好，可以验收。', 'verdict', { verdict: 'pass' }],
    ['review', '没有发现问题，同意发布。', 'verdict', { verdict: 'pass' }],
    ['review', '数据有误，请重新计算。', 'reject'],
    ['review', '还不能通过，缺少引用来源。', 'reject'],
    ['review', '不合格，第三节需要重写。', 'reject'],
    ['review', '审核通过。', 'verdict', { verdict: 'pass' }],
  ],
  fr: [
    ['discussion', 'Quel est le budget prévu pour ce projet ?', 'question'],
    ['discussion', "Est-ce que quelqu'un connaît la version installée chez le client", 'question'],
    ['discussion', "Pour information, l'API limite à 100 requêtes par minute.", 'info'],
    ['discussion', "D'après les journaux, la panne a commencé vers 3 h du matin.", 'info'],
    ['discussion', "Je suggère qu'on commence par un prototype.", 'proposal'],
    [
      'discussion',
      'Voici mon plan :\n1) Recenser les sources\n2) Nettoyer les données\n3) Rédiger la synthèse',
      'proposal',
      {
        subtasks: [
          { title: 'Recenser les sources' },
          { title: 'Nettoyer les données' },
          { title: 'Rédiger la synthèse' },
        ],
      },
    ],
    ['discussion', "On pourrait découper le travail en deux lots : l'import et l'affichage.", 'proposal'],
    ['proposal', 'Ça me va.', 'agree'],
    ['proposal', "Tout à fait d'accord, allons-y.", 'agree'],
    ['proposal', "Je m'y oppose, le risque est trop élevé.", 'object'],
    ['proposal', "Je ne vois pas d'inconvénient.", 'agree'],
    ['proposal', 'Je ne peux pas soutenir ce plan.', 'object'],
    ['proposal', "D'accord sur le principe, mais la deuxième étape est inutile.", 'object'],
    ['proposal', "Pas d'objection de ma part.", 'agree'],
    ['proposal', 'Plutôt que cela, je propose de commencer par les tests.', 'proposal'],
    ['proposal', "Ce n'est pas une bonne idée.", 'object'],
    ['assign', "Je m'occupe de t2.", 'accept', { subtask: 't2' }],
    ['assign', 'Je veux bien prendre la documentation.', 'accept', { subtask: 't3' }],
    ['assign', 'Désolé, je ne peux pas me charger de t1.', 'object', { subtask: 't1' }],
    ['assign', "Ben pourrait s'occuper de t3.", 'assign', { subtask: 't3', owner: 'Ben' }],
    ['assign', 'Comptez sur moi.', 'accept'],
    ['assign', "Je préfère laisser cette tâche à quelqu'un d'autre.", 'object'],
    ['execution', "C'est fait : le rapport est prêt.", 'result', { status: 'success' }],
    ['execution', "J'en suis à 30 % environ.", 'progress', { percent: 30 }],
    ['execution', "Je n'ai pas encore fini, il me reste deux fichiers.", 'progress'],
    [
      'execution',
      "Je n'ai pas réussi à terminer t1, le serveur est inaccessible.",
      'result',
      { subtask: 't1', status: 'failed' },
    ],
    [
      'execution',
      'Voici la synthèse demandée : le marché progresse de 4 %.',
      'result',
      { status: 'success' },
    ],
    ['execution', 'Seule la moitié du travail est terminée.', 'result', { status: 'partial' }],
    ['execution', 'La tâche t2 est achevée.', 'result', { subtask: 't2', status: 'success' }],
    ['review', "Rien à redire, c'est validé.", 'verdict', { verdict: 'pass' }],
    ['review', 'Je valide.', 'verdict', { verdict: 'pass' }],
    ['review', "Ce n'est pas acceptable en l'état.", 'reject'],
    ['review', 'Il manque les sources, à revoir.', 'reject'],
    ['review', 'Aucun problème, tout est conforme.', 'verdict', { verdict: 'pass' }],
    ['review', 'Je ne peux pas valider ce rapport.', 'reject'],
  ],
}

// Written after the rules were final, to see what they do with wording that nobody had in mind.
const fresh: Table = {
  en: [
    ['discussion', 'Has legal already looked at this?', 'question'],
    ['discussion', 'How come the staging numbers differ from production', 'question'],
    ['discussion', 'Two of the five sensors were replaced in May.', 'info'],
    ['discussion', 'Heads up: the office is closed on Friday.', 'info'],
    ['discussion', 'We might begin with an inventory and only then choose a tool.', 'proposal'],
    [
      'discussion',
      'Suggested steps:\n1) Freeze the branch\n2) Run the audit\n3) Publish',
      'proposal',
      { subtasks: [{ title: 'Freeze the branch' }, { title: 'Run the audit' }, { title: 'Publish' }] },
    ],
    ['discussion', 'How about a short survey among the users?', 'proposal'],
    ['proposal', 'Makes sense, I vote in favour.', 'agree'],
    ['proposal', 'I am afraid this will blow the budget.', 'object'],
    ['proposal', 'Excellent plan, full support.', 'agree'],
    ['proposal', 'I would rather wait for the audit before deciding.', 'object'],
    ['proposal', 'You have my approval.', 'agree'],
    ['proposal', 'Agreed, with one reservation: the deadline is unrealistic.', 'object'],
    ['proposal', 'None of this solves the customer’s problem.', 'object'],
    ['proposal', "I don't have anything against this.", 'agree'],
    ['assign', 'I can start on t2 right away.', 'accept', { subtask: 't2' }],
    ['assign', 'Put me down for t1.', 'accept', { subtask: 't1' }],
    ['assign', 'Ben is the obvious choice for t3.', 'assign', { subtask: 't3', owner: 'Ben' }],
    ['assign', 'Please find another volunteer, I am on two other projects.', 'object'],
    ['assign', 'I lack the permissions to do t2.', 'object', { subtask: 't2' }],
    ['assign', 'Understood, I will get to work.', 'accept'],
    ['execution', 'Finished the write-up, the file is attached.', 'result', { status: 'success' }],
    ['execution', 'Currently at 20%, waiting for the data export.', 'progress', { percent: 20 }],
    ['execution', 'The attempt failed because the server rejected our key.', 'result', { status: 'failed' }],
    ['execution', 't2 is ready for review.', 'result', { subtask: 't2', status: 'success' }],
    ['execution', 'Six chapters written, four to go.', 'progress'],
    [
      'execution',
      'Result is incomplete: I only covered the European countries.',
      'result',
      { status: 'partial' },
    ],
    ['execution', 'I would like to hand t1 back.', 'object', { subtask: 't1' }],
    ['review', 'Passed. Nice and concise.', 'verdict', { verdict: 'pass' }],
    ['review', 'I have checked the sources and they all hold up.', 'verdict', { verdict: 'pass' }],
    ['review', 'Please go back and add the missing references.', 'reject'],
    ['review', 'The conclusion does not follow from the data.', 'reject'],
    ['review', 'Nothing to complain about.', 'verdict', { verdict: 'pass' }],
    ['review', 'Good structure, however t1 contains several factual errors.', 'reject', { subtasks: ['t1'] }],
  ],
  zh: [
    ['discussion', '法务看过这个了吗？', 'question'],
    ['discussion', '为什么测试环境和线上的数据不一样', 'question'],
    ['discussion', '五个传感器里有两个是五月换的。', 'info'],
    ['discussion', '提醒一下：周五办公室不开门。', 'info'],
    ['discussion', '可以先盘点一遍，再决定用什么工具。', 'proposal'],
    [
      'discussion',
      '建议步骤：\n1. 冻结分支\n2. 运行审计\n3. 发布',
      'proposal',
      { subtasks: [{ title: '冻结分支' }, { title: '运行审计' }, { title: '发布' }] },
    ],
    ['discussion', '要不做个简单的用户问卷？', 'proposal'],
    ['proposal', '有道理，我投赞成票。', 'agree'],
    ['proposal', '这样恐怕会超预算。', 'object'],
    ['proposal', '很好的计划，全力支持。', 'agree'],
    ['proposal', '我更倾向于等审计结果出来再定。', 'object'],
    ['proposal', '我没什么意见，听大家的。', 'agree'],
    ['proposal', '同意，但有一点保留：时间不现实。', 'object'],
    ['proposal', '这些都解决不了客户的问题。', 'object'],
    ['assign', '我马上可以开始做 t2。', 'accept', { subtask: 't2' }],
    ['assign', '把 t1 算到我头上。', 'accept', { subtask: 't1' }],
    ['assign', 't3 最合适的人选是 ben。', 'assign', { subtask: 't3', owner: 'Ben' }],
    ['assign', '请另找他人，我手上还有两个项目。', 'object'],
    ['assign', '我没有权限，t2 没法做。', 'object', { subtask: 't2' }],
    ['assign', '明白，我这就去办。', 'accept'],
    ['execution', '文章写好了，见附件。', 'result', { status: 'success' }],
    ['execution', '当前进度 20%，在等数据导出。', 'progress', { percent: 20 }],
    ['execution', '服务器拒绝了密钥，尝试失败。', 'result', { status: 'failed' }],
    ['execution', 't2 可以提交审核了。', 'result', { subtask: 't2', status: 'success' }],
    ['execution', '写了六章，还有四章。', 'progress'],
    ['execution', '结果不完整，只覆盖了欧洲国家。', 'result', { status: 'partial' }],
    ['execution', 't1 我想退回。', 'object', { subtask: 't1' }],
    ['review', '过了，简洁明了。', 'verdict', { verdict: 'pass' }],
    ['review', '来源我都核对过，没有差错。', 'verdict', { verdict: 'pass' }],
    ['review', '请补上缺失的参考文献。', 'reject'],
    ['review', '结论和数据对不上。', 'reject'],
    ['review', '无可挑剔。', 'verdict', { verdict: 'pass' }],
    ['review', '结构不错，但 t1 有几处事实错误。', 'reject', { subtasks: ['t1'] }],
  ],
  fr: [
    ['discussion', 'Le service juridique a-t-il déjà regardé ?', 'question'],
    ['discussion', 'Pourquoi les chiffres diffèrent-ils de la production', 'question'],
    ['discussion', 'Deux des cinq capteurs ont été remplacés en mai.', 'info'],
    ['discussion', 'Petit rappel : le bureau est fermé vendredi.', 'info'],
    ['discussion', 'Nous pourrions commencer par un inventaire et choisir l’outil ensuite.', 'proposal'],
    [
      'discussion',
      'Étapes proposées :\n1) Geler la branche\n2) Lancer l’audit\n3) Publier',
      'proposal',
      { subtasks: [{ title: 'Geler la branche' }, { title: 'Lancer l’audit' }, { title: 'Publier' }] },
    ],
    ['discussion', 'Pourquoi ne pas faire un petit sondage ?', 'proposal'],
    ['proposal', 'Cela se tient, je vote pour.', 'agree'],
    ['proposal', 'Je crains que cela ne dépasse le budget.', 'object'],
    ['proposal', 'Excellent plan, je le soutiens pleinement.', 'agree'],
    ['proposal', "Je préférerais attendre l'audit avant de décider.", 'object'],
    ['proposal', 'Vous avez mon accord.', 'agree'],
    ['proposal', "D'accord, avec une réserve : le délai est irréaliste.", 'object'],
    ['proposal', 'Rien de tout cela ne résout le problème du client.', 'object'],
    ['proposal', "Je n'ai rien contre.", 'agree'],
    ['assign', 'Je peux commencer t2 tout de suite.', 'accept', { subtask: 't2' }],
    ['assign', 'Notez-moi pour t1.', 'accept', { subtask: 't1' }],
    ['assign', 'Ben est tout indiqué pour t3.', 'assign', { subtask: 't3', owner: 'Ben' }],
    ['assign', 'Trouvez un autre volontaire, j’ai déjà deux projets.', 'object'],
    ['assign', "Je n'ai pas les droits pour faire t2.", 'object', { subtask: 't2' }],
    ['assign', 'Bien reçu, je m’y mets.', 'accept'],
    ['execution', 'La rédaction est finie, le fichier est joint.', 'result', { status: 'success' }],
    ['execution', 'Actuellement à 20 %, j’attends l’export des données.', 'progress', { percent: 20 }],
    ['execution', 'La tentative a échoué : le serveur a refusé notre clé.', 'result', { status: 'failed' }],
    ['execution', 't2 est prêt pour la relecture.', 'result', { subtask: 't2', status: 'success' }],
    ['execution', 'Six chapitres écrits, encore quatre.', 'progress'],
    [
      'execution',
      "Résultat incomplet : je n'ai couvert que les pays européens.",
      'result',
      { status: 'partial' },
    ],
    ['execution', 'Je souhaite rendre t1.', 'object', { subtask: 't1' }],
    ['review', 'Accepté, clair et concis.', 'verdict', { verdict: 'pass' }],
    ['review', "J'ai vérifié les sources, elles sont toutes solides.", 'verdict', { verdict: 'pass' }],
    ['review', 'Merci d’ajouter les références manquantes.', 'reject'],
    ['review', 'La conclusion ne découle pas des données.', 'reject'],
    ['review', 'Irréprochable.', 'verdict', { verdict: 'pass' }],
    [
      'review',
      'Bonne structure, mais t1 contient plusieurs erreurs factuelles.',
      'reject',
      { subtasks: ['t1'] },
    ],
  ],
}

function say(text: string, state: string, language: Language): Tagged {
  return tag(text, { intents: INTENTS, situation: situation(state, language), rules: tags, prefixFields })[0]
}

/** How many rows get the intent meant, and how many the payload as well. */
function judge(rows: readonly Row[], language: Language) {
  const missed: string[] = []
  let sameIntent = 0
  for (const [state, text, intent, payload = {}] of rows) {
    const message = say(text, state, language)
    if (message.intent === intent) sameIntent++
    const same = Object.entries(payload).every(
      ([key, value]) => JSON.stringify(message.payload[key]) === JSON.stringify(value),
    )
    if (message.intent !== intent || !same) {
      missed.push(`${state}: ${text} → ${message.intent} ${JSON.stringify(message.payload)}, not ${intent}`)
    }
  }
  return { intent: sameIntent / rows.length, all: 1 - missed.length / rows.length, missed }
}

const languages = ['en', 'zh', 'fr'] as const

/** What the rules make of a text in a state, short: the intent, how sure it is, and what the payload says. */
function reading(text: string, at: Situation): string {
  const guess = tags(text, at)
  if (guess === null) return '-'
  const { intent, confidence, payload } = guess
  return [intent, confidence, ...(payload === undefined ? [] : [JSON.stringify(payload)])].join(' ')
}

describe('the conversation’s tagging rules', () => {
  it('make of each text what they made before, in its state, in all others and where anything is allowed', async () => {
    const lines = languages.flatMap((language) =>
      [tuned, heldOut, fresh].flatMap((table) =>
        table[language].map(([own, text]) => {
          const elsewhere = Object.keys(states).filter((state) => state !== own)
          return JSON.stringify([
            text,
            `${own}: ${reading(text, situation(own, language))}`,
            `anything: ${reading(text, { ...situation(own, language), allowed: INTENTS })}`,
            ...elsewhere.map((state) => `${state}: ${reading(text, situation(state, language))}`),
          ])
        }),
      ),
    )
    // A rule that is changed on purpose changes lines here: look through them, then `vitest run -u`.
    await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('tags.readings.jsonl')
  })

  for (const language of languages) {
    it(`find what is meant in the half they were tuned on, ${language}`, () => {
      const { all, missed } = judge(tuned[language], language)
      expect(all, missed.join('\n')).toBeGreaterThanOrEqual(0.95)
    })

    it(`find what is meant in the half that was held out, ${language}`, () => {
      expect(judge(heldOut[language], language).all).toBeGreaterThanOrEqual(0.8)
    })

    it(`find the intent in fresh wording, ${language}`, () => {
      const { intent, all } = judge(fresh[language], language)
      expect(intent).toBeGreaterThanOrEqual(0.8)
      expect(all).toBeGreaterThanOrEqual(0.7)
    })
  }

  it('are honest: the surer they say they are, the more often they are right', () => {
    const seen = languages.flatMap((language) =>
      [...heldOut[language], ...fresh[language]].map(([state, text, intent]) => {
        const message = say(text, state, language)
        return { right: message.intent === intent, confidence: message.payload.tagged.confidence }
      }),
    )
    const share = (among: typeof seen) => among.filter((s) => s.right).length / among.length
    const sure = share(seen.filter((s) => s.confidence >= 0.75))
    const unsure = share(seen.filter((s) => s.confidence < 0.75))
    expect(sure).toBeGreaterThanOrEqual(0.9)
    expect(sure).toBeGreaterThan(unsure)
  })

  it('never guess an intent that is not allowed', () => {
    const texts = languages.flatMap((l) => [...tuned[l], ...heldOut[l]].map((row) => row[1]))
    fc.assert(
      fc.property(
        fc.constantFrom(...texts),
        fc.constantFrom(...Object.keys(states), 'closed', 'other'),
        fc.subarray<string>([...INTENTS]),
        (text, state, allowed) => {
          const guess = tags(text, { state, allowed, expected: 'info', subtasks: [], members })
          return guess === null || allowed.includes(guess.intent)
        },
      ),
      { numRuns: 2000 },
    )
  })

  it('make payloads of the protocol’s types for any text', () => {
    const word = fc.constantFrom(
      ...[
        'I',
        'agree',
        'not',
        'but',
        't1',
        't2',
        'Ben',
        '@alice',
        'done',
        '50%',
        '100 %',
        '999%',
        '\n- step',
      ],
      ...[
        '\n1. one',
        '\n2. two',
        '同意',
        '不',
        '完成',
        '我来做',
        '小李',
        'je',
        'prends',
        'pas',
        'terminé',
        '?',
        '。',
      ],
      ...[
        'failed',
        'reject',
        'propose',
        '智能体A',
        'Documentation',
        'should do',
        '\ue001',
        '\u0000',
        '\ud800',
        'ﷺ',
      ],
    )
    const texts = fc.oneof(
      fc.array(word, { maxLength: 20 }).map((words) => words.join(' ')),
      fc.string({ unit: 'binary' }),
    )
    fc.assert(
      fc.property(texts, fc.constantFrom(...Object.keys(states)), (text, state) => {
        const guess = tags(text, situation(state, 'en'))
        if (!guess) return
        expect(guess.confidence).toBeGreaterThan(0)
        expect(guess.confidence).toBeLessThanOrEqual(1)
        const schema = payloads[guess.intent as Intent]
        expect(schema.safeParse(guess.payload ?? {}).error).toBeUndefined()
      }),
      { numRuns: 3000 },
    )
  })

  it('know questions and information wherever talk is admitted', () => {
    const allowed = [
      'question',
      'info',
      'agree',
      'object',
      'verdict',
      'reject',
      'accept',
      'progress',
      'result',
    ]
    for (const state of ['proposal', 'assign', 'execution', 'review']) {
      const at = { ...situation(state, 'en'), allowed }
      expect(tags('Which of the two servers is it?', at)?.intent).toBe('question')
      expect(tags('FYI, the server moves to Lyon in May.', at)?.intent).toBe('info')
    }
  })

  it('take a question for no assent where it cannot be asked', () => {
    expect(tags('Where are the sources?', situation('review', 'en'))?.intent).toBe('reject')
    expect(tags('Where are the sources?', situation('proposal', 'en'))?.intent).toBe('object')
    expect(tags('Where are the sources?', situation('proposal', 'en'))?.confidence).toBeLessThan(0.5)
  })

  it('read members and subtasks by name, and only whole names', () => {
    const work = {
      ...states.assign!,
      state: 'assign',
      subtasks: [
        { id: 't1', title: null },
        { id: 't10', title: 'Will' },
      ],
      members: ['a', 'will', 'x/Ann', 'Anna'],
    }
    expect(tags("I'll take t10", work)?.payload).toEqual({ subtask: 't10' })
    expect(tags('I will take t1', work)).toMatchObject({ intent: 'accept', payload: { subtask: 't1' } })
    expect(tags('@will takes t1', work)).toMatchObject({ intent: 'assign', payload: { owner: 'will' } })
    expect(tags('Ann should do t1', work)).toMatchObject({ intent: 'assign', payload: { owner: 'x/Ann' } })
    expect(tags('Anna should do t1', work)).toMatchObject({ intent: 'assign', payload: { owner: 'Anna' } })
    expect(tags('Somebody should do t1', work)?.intent).not.toBe('assign')
  })

  it('say which work is meant, lest all of it is', () => {
    const at = situation('execution', 'en')
    expect(tags('t1 is done, moving on to t2.', at)?.payload).toEqual({ subtask: 't1', status: 'success' })
    expect(tags('See t2 in the folder', at)?.payload).toEqual({ subtask: 't2' })
  })

  it('keep to the outer steps of a list, without their marks', () => {
    const text = 'Plan:\n1. **One**\n   - detail\n   - detail\n2. [ ] two\n\nThat is all.'
    expect(tags(text, situation('discussion', 'en'))?.payload).toEqual({
      subtasks: [{ title: 'One' }, { title: '[ ] two'.slice(4) }],
    })
    const endless = `Plan:\n${'- step\n'.repeat(1000)}`
    expect(tags(endless, situation('discussion', 'en'))).toMatchObject({ intent: 'proposal' })
    expect(tags(endless, situation('discussion', 'en'))?.payload).toBeUndefined()
  })

  it('read long text in a moment, whatever it is made of', () => {
    const size = 1 << 20
    const bits = [
      "n't ",
      'not ',
      'i would ',
      't1 ',
      '@',
      'je ne ',
      '不',
      '没有',
      '?',
      '.',
      '1.',
      ' ',
      '\n',
      '\n- a',
    ]
    for (const bit of [...bits, '*', '"', 'a', 'ﷺ', '\u0300', '\ue002', 'only if ', '如果', 'agree but ']) {
      const text = bit.repeat(Math.ceil(size / bit.length)).slice(0, size)
      for (const state of Object.keys(states)) {
        const start = performance.now()
        tags(text, situation(state, 'en'))
        expect(performance.now() - start, JSON.stringify(bit)).toBeLessThan(500)
      }
    }
  })
})
