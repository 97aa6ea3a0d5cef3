/** German words of a finding's rule, as compact as the English ones. */
export type GermanFinding = readonly [title: string, cause: string, remedy: string];
export type GermanFindings = Readonly<Record<string, GermanFinding>>;
