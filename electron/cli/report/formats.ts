/** How findings can be printed. */
export const reportFormats = ['text', 'json', 'sarif', 'junit', 'csv', 'html'] as const;
export type ReportFormat = (typeof reportFormats)[number];
