import { memoryJournal } from '../../src/journals/memory.ts'
import { journalContract } from './contract.ts'

journalContract('memory', () => {
  let time = 0
  return {
    open: () => memoryJournal({ now: () => time }),
    pass: (ms) => {
      time += ms
    },
  }
})
