/** `isCutOver` of a deployment's options, for a query; 1 or 0. */
export function cutOverInSql(options: string): string {
  return `ifnull(json_extract(${options}, '$.purpose') = 'cut-over', ifnull(json_extract(${options}, '$.execute.lastPass') = 1, 0))`;
}
