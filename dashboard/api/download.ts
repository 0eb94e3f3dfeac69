/** Files of the API. A link cannot fetch them: the API refuses calls without the page's header. */
import { minuteMs } from '#lambdas/platform/duration.ts';
import { getForResponse } from './client.ts';

/** Saves the response as a file, under the name that the API gives it. */
export async function download(path: string): Promise<void> {
  const response = await getForResponse(path);
  saveFile(await response.blob(), fileNameOf(response.headers.get('content-disposition')));
}

/** Browsers read the file after the click. */
const readingMs = minuteMs;

export function saveFile(content: Blob, name: string): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), readingMs);
}

export function saveCsv(text: string, name: string): void {
  saveFile(new Blob([text], { type: 'text/csv;charset=utf-8' }), name);
}

/** Reads a header such as `attachment; filename="statement.csv"`. */
export function fileNameOf(contentDisposition: string | null): string {
  return /;\s*filename="([^"]+)"/.exec(contentDisposition ?? '')?.[1] ?? 'download';
}
