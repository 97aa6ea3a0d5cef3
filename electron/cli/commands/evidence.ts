import {
  inProject,
  UsageError,
  type CommandRegistrar,
  type ExitStatus,
  type ProjectOptions,
} from '../command-context.ts';

/** `causeway evidence …` */
export const registerEvidence: CommandRegistrar = (program, context) => {
  const group = program.command('evidence');
  for (const add of [showEvidence, exportEvidence, verifyEvidence, reportEvidence, digestOfDisk]) add(group, context);
};

const showEvidence: CommandRegistrar = (group, context) => {
  const command = group
    .command('show')
    .description('List the entries of the journal.')
    .argument('[replica]', 'name or id; default: all');
  inProject(command).action(
    context.run(async (replica: string | undefined, options: ProjectOptions): Promise<ExitStatus> => {
      const { withProject } = await import('../project/with-project.ts');
      const { moment, print, table } = await import('../output/print.ts');
      const { detailText } = await import('../../../shared/reports/entry-details.ts');
      const { entryText } = await import('../../../shared/reports/vm-report.ts');
      const entries = await withProject(options, context, async (core) => {
        const all = [];
        for (let after = 0; ;) {
          const page = await core.call('evidence.list', {
            after,
            limit: 10_000,
            ...(replica === undefined ? {} : { replica }),
          });
          all.push(...page);
          const last = page.at(-1);
          if (last === undefined) return all;
          after = last.n;
        }
      });
      print(context, options, entries, () =>
        table(
          ['entry', 'time', 'vm', 'what', 'by', 'details'],
          entries.map((entry) => [
            entry.n,
            moment(entry.at),
            entry.replica?.name,
            entryText(entry),
            entry.by,
            detailText(entry),
          ]),
        ),
      );
      return 0;
    }),
  );
};

const exportEvidence: CommandRegistrar = (group, context) => {
  const command = group
    .command('export')
    .description('Write the journal to a file, and its head to a second one that ends in .head.')
    .argument('<file>', 'e.g. evidence.jsonl');
  inProject(command).action(
    context.run(async (file: string, options: ProjectOptions): Promise<ExitStatus> => {
      const { writeFile } = await import('node:fs/promises');
      const { withProject } = await import('../project/with-project.ts');
      const { pairs, print } = await import('../output/print.ts');
      const { headFileOf } = await import('../../engine/evidence/journal.ts');
      const { canonicalJson } = await import('../../engine/evidence/verify-journal.ts');
      const { journal, head } = await withProject(options, context, (core) => core.call('evidence.export', {}));
      await writeFile(file, journal);
      await writeFile(headFileOf(file), `${canonicalJson(head)}\n`);
      print(context, options, [head], () => pairs({ entries: head.count, head: head.head }));
      return 0;
    }),
  );
};

const verifyEvidence: CommandRegistrar = (group, context) => {
  group
    .command('verify')
    .description('Verify a journal, or a report, without a project. Exit status 1 if anything was changed.')
    .argument('<file>', 'journal, or report as HTML')
    .option('--head <file or digest>', 'head of the journal (default: the file beside it that ends in .head)')
    .option('--journal <file>', 'journal in which a report is recorded')
    .option('--json', 'print JSON')
    .action(
      context.run(
        async (file: string, options: { head?: string; journal?: string; json?: boolean }): Promise<ExitStatus> => {
          const { verifyEvidenceFile } = await import('../project/verify-evidence.ts');
          const { pairs, print } = await import('../output/print.ts');
          const result = verifyEvidenceFile(file, options);
          print(context, options, [result], () =>
            [
              pairs({
                file,
                result: result.problems.length === 0 ? 'intact' : 'CHANGED',
                entries: result.entries,
                head: result.head,
              }),
              ...result.notes.map((note) => `note: ${note}\n`),
              ...result.problems.map((problem) => `problem: ${problem}\n`),
            ].join(''),
          );
          return result.problems.length === 0 ? 0 : 1;
        },
      ),
    );
};

const reportEvidence: CommandRegistrar = (group, context) => {
  const command = group
    .command('report')
    .description('Write the report of a VM, or of a wave, as one HTML file, and record its digest in the journal.')
    .argument('[replica]', 'name or id')
    .option('--wave <wave>', 'the report of this wave')
    .option('--output <file>', 'default: the name of the replica or wave, in the current folder')
    .option('--pdf', 'also print it, to a file beside it that ends in .pdf; needs Chromium, Chrome or Edge');
  inProject(command).action(
    context.run(
      async (
        replica: string | undefined,
        options: ProjectOptions & { output?: string; wave?: string; pdf?: boolean },
      ): Promise<ExitStatus> => {
        const { writeFile } = await import('node:fs/promises');
        const { withProject } = await import('../project/with-project.ts');
        const { pairs, print } = await import('../output/print.ts');
        if ((replica === undefined) === (options.wave === undefined))
          throw new UsageError('name a replica, or a wave with --wave');
        const { wave } = options;
        const { confinedPage, reportFileName } = await import('../../../shared/reports/escape-html.ts');
        const {
          name,
          html: given,
          digest,
          head,
        } = await withProject(options, context, (core) =>
          wave === undefined
            ? core.call('evidence.report', { replica: replica ?? '' })
            : core.call('evidence.waveReport', { wave }),
        );
        const html = confinedPage(given);
        const file = options.output ?? reportFileName(name);
        await writeFile(file, html);
        const pdf = `${file.replace(/\.html?$/i, '')}.pdf`;
        if (options.pdf === true) {
          const { pdfByBrowser } = await import('../../workbench/pdf-by-browser.ts');
          await writeFile(pdf, await pdfByBrowser(html, context.signal));
        }
        const written = { file, ...(options.pdf === true ? { pdf } : {}), digest, head };
        print(context, options, [written], () =>
          pairs({ report: file, pdf: options.pdf === true ? pdf : undefined, digest, head }),
        );
        return 0;
      },
    ),
  );
};

const digestOfDisk: CommandRegistrar = (group, context) => {
  group
    .command('digest')
    .description('Compute the digest of a disk as the evidence has it, from a raw image or a device. Needs no project.')
    .argument('<file>', 'e.g. disk.raw or /dev/vdb')
    .option('--json', 'print JSON')
    .action(
      context.run(async (file: string, options: { json?: boolean }): Promise<ExitStatus> => {
        const { digestDisk } = await import('../../engine/replication/digest-disk.ts');
        const { pairs, print } = await import('../output/print.ts');
        const found = await digestDisk(file, context.signal).catch((error: unknown) => {
          const { code } = error as NodeJS.ErrnoException;
          throw code === undefined ? error : new UsageError(`${file}: ${code}`);
        });
        print(context, options, [found], () => pairs({ digest: found.sha256, bytes: found.bytes }));
        return 0;
      }),
    );
};
