/** Reads the entries of the list, page by page, into the parts of a CSV file. */
import type { ListedLogEntry, LogList } from '#lambdas/accounts/analytics/responses.ts';
import { entryLine, headerLine } from './entry-lines.ts';

export const maxExportedEntries = 100_000;

export interface ExportProgress {
  entries: number;
  /** The times of the newest and oldest entry so far; null before the first. */
  newest: string | null;
  oldest: string | null;
}

export const noProgress: ExportProgress = { entries: 0, newest: null, oldest: null };

export interface EntryExport extends ExportProgress {
  file: Blob;
  /** False if there are more entries than `maxExportedEntries`. */
  isComplete: boolean;
}

/** @param cursor empty for the first page */
export type ReadPage = (cursor: string) => Promise<Pick<LogList, 'data' | 'next_cursor'>>;

export async function exportEntries(
  readPage: ReadPage,
  onProgress: (progress: ExportProgress) => void,
): Promise<EntryExport> {
  const parts: string[] = [headerLine];
  let progress = noProgress;
  let cursor: string | null = '';
  while (cursor !== null && progress.entries < maxExportedEntries) {
    const page: Awaited<ReturnType<ReadPage>> = await readPage(cursor);
    const entries: readonly ListedLogEntry[] = page.data.slice(0, maxExportedEntries - progress.entries);
    parts.push(entries.map(entryLine).join(''));
    progress = {
      entries: progress.entries + entries.length,
      newest: progress.newest ?? entries[0]?.created_at ?? null,
      oldest: entries.at(-1)?.created_at ?? progress.oldest,
    };
    cursor = page.next_cursor;
    onProgress(progress);
  }
  return { ...progress, file: new Blob(parts, { type: 'text/csv' }), isComplete: cursor === null };
}

/** Such as `requests-2026-11-01-2026-11-23.csv`, by the days of the entries in UTC. */
export function exportFileName(newest: string, oldest: string): string {
  return `requests-${oldest.slice(0, 10)}-${newest.slice(0, 10)}.csv`;
}
