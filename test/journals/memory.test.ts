import { memoryJournal } from '../../src/journals/memory.ts'
import { journalContract } from './contract.ts'

journalContract('memory', () => ({ open: memoryJournal }))
