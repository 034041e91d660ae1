/** What `draw` prints; apart from the drawing, so that help need not load it. */
export const FORMATS = ['mermaid', 'dot', 'json'] as const
export type Format = (typeof FORMATS)[number]
