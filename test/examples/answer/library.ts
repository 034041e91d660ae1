import { readDocuments } from '../../../examples/answer/documents.ts'
import { buildSearch } from '../../../examples/answer/search.ts'

/** The documents of the installed packages and their index, read once for all tests of a file. */
export const library = await readDocuments(null)
export const search = buildSearch(library.passages)
