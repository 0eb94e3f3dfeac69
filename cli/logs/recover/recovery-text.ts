/** What `logs recover` says: counts, and nothing of any entry. */
import type { RecoveryCounts } from './recovery.ts';

export function recoverySentence(
  { putBack, interrupted, alreadyThere }: RecoveryCounts,
  isDryRun: boolean,
): string {
  const verb = isDryRun ? 'would be put back' : 'put back';
  return `${putBack} entries ${verb} (${interrupted} of interrupted requests), ${alreadyThere} already there`;
}

export function recoveryText(counts: RecoveryCounts, isDryRun: boolean): string {
  const { lines, messages, expired, running, waiting, damaged } = counts;
  const rest: [number, string][] = [
    [expired, 'skipped: they have expired'],
    [running, 'skipped: their requests may still run'],
    [waiting, 'skipped: their entries may be among those that wait in a queue'],
    [damaged, 'could not be read'],
  ];
  return [
    `${lines} lines and ${messages} messages read: ${recoverySentence(counts, isDryRun)}.`,
    ...rest.flatMap(([count, what]) => (count === 0 ? [] : [`${count} ${what}.`])),
  ].join('\n');
}

export function recoveryJson(counts: RecoveryCounts, isDryRun: boolean) {
  return {
    dry_run: isDryRun,
    lines_read: counts.lines,
    messages_read: counts.messages,
    put_back: counts.putBack,
    interrupted: counts.interrupted,
    already_there: counts.alreadyThere,
    skipped_expired: counts.expired,
    skipped_running: counts.running,
    skipped_waiting: counts.waiting,
    unreadable: counts.damaged,
  };
}
