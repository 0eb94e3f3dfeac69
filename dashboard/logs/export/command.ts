interface Window {
  start: Date;
  end: Date;
}

/** The operator's command that exports all entries of the window, whatever their filters. */
export function exportCommand(organizationId: string, { start, end }: Window): string {
  const bounds = `--from ${start.toISOString()} --to ${end.toISOString()}`;
  return `npm run admin -- logs export --organization ${organizationId} ${bounds} --format csv`;
}
