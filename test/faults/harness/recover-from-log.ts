/** Puts back what functions have left in their log, as an operator does. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runAdminCommand } from '#test/support/admin-command.ts';
import type { FaultEnvironment } from './fault-environment.ts';

/** Says whether all was put back: while entries wait in the queue, nothing is to take their place. */
export async function recoverFromLog({ directory, log }: FaultEnvironment): Promise<'all' | 'entries wait'> {
  const file = join(directory, 'function.log');
  await writeFile(file, log.lines.map((line) => `${line}\n`).join(''));
  const { exitCode, stderr } = await runAdminCommand(['logs', 'recover', '--file', file, '--ended'], {
    environment: { GATEWAY_DATA_DIRECTORY: directory },
  });
  if (exitCode === 0) return 'all';
  if (stderr.includes('entries may be in a queue')) return 'entries wait';
  throw new Error(`logs recover ended with ${exitCode}: ${stderr}`);
}
