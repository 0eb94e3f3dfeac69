/** Reads a header such as `attachment; filename="statement.csv"`. */
export function fileNameOf(contentDisposition: string | null): string {
  return /;\s*filename="([^"]+)"/.exec(contentDisposition ?? '')?.[1] ?? 'download';
}
