import type { ErrorTable } from './error-text.ts';

export const inventoryErrors = {
  'inventory.unreadable': {
    title: 'The file is not a readable inventory',
    cause: 'It is neither a CSV file nor an Excel workbook, or it is damaged.',
    remedy: 'Export the inventory again as CSV or .xlsx. The details say what is wrong with the file.',
    retryable: false,
  },
  'inventory.file-damaged': {
    title: 'An imported inventory cannot be read',
    cause: 'Its file in the project folder is damaged, or a manual edit broke it.',
    remedy: 'Correct the file named in the details, or delete it and import the inventory again.',
    retryable: false,
  },
} as const satisfies ErrorTable;
