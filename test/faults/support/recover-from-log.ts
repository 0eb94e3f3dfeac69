import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runAdminCommand } from '#test/support/admin-command.ts';
import type { FaultFixture } from './fault-fixture.ts';

/** Returns `entries queued` when the command refuses: a placeholder must not replace a queued entry. */
export async function recoverFromLog(
  { directory, log }: FaultFixture,
  lines = log.lines,
): Promise<'all' | 'entries queued'> {
  const file = join(directory, 'function.log');
  await writeFile(file, lines.map((line) => `${line}\n`).join(''));
  const { exitCode, stderr } = await runAdminCommand(['logs', 'recover', '--file', file, '--ended'], {
    environment: { GATEWAY_DATA_DIRECTORY: directory },
  });
  if (exitCode === 0) return 'all';
  if (stderr.includes('entries may be in a queue')) return 'entries queued';
  throw new Error(`logs recover exited with ${exitCode}: ${stderr}`);
}
