import { anthropicReport } from './anthropic-report.ts';
import { openAiReport } from './openai-report.ts';
import type { CostReportFormat } from './report-format.ts';

/** By the name of the provider in log entries. */
export const reportFormats = {
  openai: openAiReport,
  anthropic: anthropicReport,
} satisfies Record<string, CostReportFormat>;

type ReportProvider = keyof typeof reportFormats;

export const reportProviders = Object.keys(reportFormats) as ReportProvider[];
