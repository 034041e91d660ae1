/**
 * Appends to conversations of a SQLite file without a pause, as a process of its own, and says each message that is
 * acknowledged. Arguments: the built module of the journal, the file, the writer's name, most messages for each
 * conversation, the conversations.
 */
const [module, file, writer, most, ...conversations] = process.argv.slice(2)
const { sqliteJournal } = await import(module)
const journal = sqliteJournal(file)

const opening = {
  type: 'open',
  at: 0,
  machine: 'conversation',
  version: 1,
  goal: '',
  members: ['a'],
  lead: null,
}

const isConflict = (error) => {
  if (error.code !== 'JOURNAL_CONFLICT') throw error
  return true
}

const write = async (conversation) => {
  const events = [{ ...opening, id: conversation, policy: {} }]
  await journal.append(conversation, 0, events).catch(isConflict)
  for (let number = 0; number < Number(most); number++) {
    const id = `${writer} ${number}`
    const message = { type: 'message', at: number, message: { id, from: 'a', intent: 'info', content: '' } }
    // Where others write as well, their message may have come first: then again, after it.
    for (let isKept = false; !isKept; ) {
      const { length } = await journal.load(conversation)
      isKept = !(await journal.append(conversation, length, [message]).catch(isConflict))
    }
    process.stdout.write(`${conversation}\t${id}\n`)
  }
}

await Promise.all(conversations.map(write))
await journal.close()
