/** What is done to all members of a wave: copy what changed, deploy beside the source, or move for good. Without schemas: the command line's help needs the names alone. */
export const waveActions = ['synchronise', 'rehearse', 'cut-over'] as const;
export type WaveAction = (typeof waveActions)[number];
