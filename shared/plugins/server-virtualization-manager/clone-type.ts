import { field } from '../field-meta.ts';
import { text } from '../shapes/values.ts';

/** What managers are known to take. The environment's interface lists no values, so others are only warned of. */
export const cloneTypes = ['THIN_CLONE', 'SPARSE_COPY', 'NON_SPARSE_COPY'];

export const cloneTypeField = (help: string) =>
  field(text().optional(), {
    title: 'Cloning method',
    help: `${help} Thin clones are recommended, but some repository types do not support them.`,
    group: 'Storage',
    example: 'THIN_CLONE',
    optionsFrom: 'clone_types',
  });
