import { formatCsv } from '../../../shared/reports/csv.ts';
import { summarise, type FileResult } from '../../../shared/reports/file-result.ts';
import { formatHtml } from '../../../shared/reports/html.ts';
import { formatJson } from '../../../shared/reports/json.ts';
import { formatSarif } from '../../../shared/reports/sarif.ts';
import type { CommandContext, ExitStatus } from '../command-context.ts';
import { fileUri } from '../report/file-uri.ts';
import type { ReportFormat } from '../report/formats.ts';
import { formatJunit } from '../report/junit.ts';
import { formatText } from '../report/text.ts';
import { collectFiles } from './collect-files.ts';
import { readCatalogFile, readProviderConfigurationFile } from './read-files.ts';
import { validateInParallel } from './validate-in-parallel.ts';

export interface ValidateOptions {
  readonly providerConfig?: string;
  readonly catalog?: string;
  readonly format: ReportFormat;
  readonly strict?: boolean;
}

/** Checks the documents, prints the findings, and answers with the exit status. */
export async function runValidate(
  paths: readonly string[],
  options: ValidateOptions,
  context: CommandContext,
): Promise<ExitStatus> {
  const { providerConfig, catalog: catalogFile } = options;
  const configuration = providerConfig === undefined ? undefined : await readProviderConfigurationFile(providerConfig);
  const catalog = catalogFile === undefined ? undefined : await readCatalogFile(catalogFile);
  const inputs = [providerConfig, catalogFile].filter((path) => path !== undefined);
  const { files, failures } = await collectFiles(paths, inputs);
  const checked = await validateInParallel(files, {
    entry: context.entry,
    signal: context.signal,
    locations: options.format !== 'json',
    ...(configuration === undefined ? {} : { providerConfiguration: configuration.sections }),
    ...(catalog === undefined ? {} : { catalog }),
  });
  const unread = checked.filter(({ failure }) => failure !== undefined);
  const results = checked.filter(({ failure }) => failure === undefined);
  // The provider configuration is listed as a file of its own, but only when there is something to say of it.
  if (providerConfig !== undefined && configuration !== undefined && configuration.findings.length > 0) {
    results.unshift({ file: providerConfig, findings: configuration.findings });
  }
  print(results, options, context);
  for (const failure of [...failures, ...unread.map(({ file, failure }) => `${file}: ${failure}`)]) {
    context.stderr.write(`causeway: ${failure}\n`);
  }
  return failures.length + unread.length > 0 ? 2 : statusOf(results, options.strict === true);
}

function statusOf(results: readonly FileResult[], strict: boolean): ExitStatus {
  const { errors, warnings } = summarise(results);
  return errors > 0 || (strict && warnings > 0) ? 1 : 0;
}

function print(
  results: readonly FileResult[],
  { format, strict = false }: ValidateOptions,
  { stdout, env }: CommandContext,
): void {
  switch (format) {
    case 'json':
      stdout.write(formatJson(results));
      break;
    case 'sarif':
      stdout.write(formatSarif(results, fileUri));
      break;
    case 'junit':
      stdout.write(formatJunit(results, { strict }));
      break;
    case 'csv':
      stdout.write(formatCsv(results));
      break;
    case 'html':
      stdout.write(formatHtml(results, new Date().toLocaleString()));
      break;
    case 'text': {
      const colour = stdout.isTTY === true && (env['NO_COLOR'] ?? '') === '' && env['TERM'] !== 'dumb';
      stdout.write(formatText(results, { colour }));
      break;
    }
  }
}
