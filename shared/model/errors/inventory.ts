import type { ErrorTable } from './error-text.ts';

export const inventoryErrors = {
  'inventory.unreadable': {
    title: 'This file can\'t be read as a list of machines',
    cause: 'It is neither a CSV file nor an Excel workbook, or it is damaged.',
    remedy: 'Export it again as CSV or as .xlsx. The evidence says what is wrong with it.',
    retryable: false,
  },
  'inventory.file-damaged': {
    title: 'An imported list of the project can\'t be read',
    cause: 'Its file in the project\'s folder is damaged or was changed by hand.',
    remedy: 'Correct the file that is named in the evidence, or delete it and import the list again.',
    retryable: false,
  },
} as const satisfies ErrorTable;
